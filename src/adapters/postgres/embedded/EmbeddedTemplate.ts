import { randomBytes } from "node:crypto"
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join, sep } from "node:path"
import { PGlite } from "@electric-sql/pglite"
import { startParams } from "./EmbeddedEngine.ts"

const cacheFolders = (pglite: string): ReadonlyArray<string> => {
  const packages = pglite.lastIndexOf(`${sep}node_modules${sep}`)
  const shared = join(tmpdir(), `almoner-${process.getuid?.() ?? "cache"}`)
  return packages < 0 ? [shared] : [join(pglite.slice(0, packages), "node_modules", ".cache", "almoner"), shared]
}

/** The databases that others are made of: nothing makes one here, and they are half of all there is to read and to hold. */
const unused = ["template0", "template1"]

const make = async (): Promise<Buffer> => {
  const database = await PGlite.create({ initDbStartParams: ["--wal-segsize=1"] })
  for (const name of unused) {
    await database.exec(`UPDATE pg_database SET datistemplate = false WHERE datname = '${name}'`)
    await database.exec(`DROP DATABASE ${name}`)
  }
  await database.exec("CHECKPOINT")
  const dump = await database.dumpDataDir("none")
  await database.close()
  return Buffer.from(await dump.arrayBuffer())
}

const store = async (folder: string, file: string, template: Buffer): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = join(folder, `${file}.${randomBytes(6).toString("hex")}`)
  await writeFile(draft, template, { mode: 0o600 })
  await rename(draft, join(folder, file))
}

/** An initialised database as a file, kept in `node_modules/.cache`: making one takes seconds, reading it does not. */
const template = async (): Promise<Blob> => {
  const require = createRequire(import.meta.url)
  const pglite = require.resolve("@electric-sql/pglite")
  const { version }: { readonly version: string } = JSON.parse(
    await readFile(join(pglite, "..", "..", "package.json"), "utf8")
  )
  const file = `pglite-${version}-alone.tar`
  const folders = cacheFolders(pglite)
  for (const folder of folders) {
    const found = await readFile(join(folder, file)).catch(() => undefined)
    if (found !== undefined) return new Blob([found])
  }
  const made = await make()
  for (const folder of folders) {
    const stored = await store(folder, file, made).then(
      () => true,
      () => false
    )
    if (stored) break
  }
  return new Blob([new Uint8Array(made)])
}

/** Opens a database in memory with what a dump of another holds. */
export const openDump = (dump: Blob): Promise<PGlite> =>
  PGlite.create({ loadDataDir: dump, startParams: startParams("relaxed") })

export const openMemory = async (): Promise<PGlite> => openDump(await template())
