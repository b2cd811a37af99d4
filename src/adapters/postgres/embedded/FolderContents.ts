import { randomBytes } from "node:crypto"
import { lstat, readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { DataFolderUnusable, systemCode, unusable } from "./DataFolder.ts"

/** The folder of the database in the data folder. */
export const databaseFolder = (data_dir: string): string => join(data_dir, "postgres")

/** A name for a database in the making. */
export const newDraft = (): string => `postgres.new-${randomBytes(6).toString("hex")}`

/** A database in the making. It is never opened under this name, so that nothing in it is anybody's. */
export const isDraft = (name: string): boolean => /^postgres\.new-[0-9a-f]{12}$/.test(name)

const remedy = "Restore it from its backup, or choose an empty folder with DATA_DIR"

/** What may lie in a folder in which nobody has begun anything: sockets, databases in the making, and what a new disk has. */
const isOfNobody = (name: string): boolean => isDraft(name) || name === "run" || name === "lost+found"

const unlessAbsent =
  <A>(absent: A) =>
  (cause: unknown): Promise<A> =>
    ["ENOENT", "ENOTDIR"].includes(systemCode(cause) ?? "") ? Promise.resolve(absent) : Promise.reject(cause)

const isThere = (path: string): Promise<boolean> => lstat(path).then(() => true, unlessAbsent(false))

const isFilled = (path: string): Promise<boolean> =>
  stat(path).then((found) => found.isFile() && found.size > 0, unlessAbsent(false))

const namesIn = (path: string): Promise<ReadonlyArray<string>> =>
  readdir(path).catch(unlessAbsent<ReadonlyArray<string>>([]))

/** The parts without which a folder is no database; a server would fail on most, and PGlite begins anew without the first. */
const parts: ReadonlyArray<readonly [name: string, isSound: (path: string) => Promise<boolean>]> = [
  ["PG_VERSION", async (path) => (await isFilled(path)) && /^\d+\n?$/.test(await readFile(path, "latin1"))],
  ["postgresql.conf", isFilled],
  ["global/pg_control", isFilled],
  ["global/pg_filenode.map", isFilled],
  ["base", async (path) => (await namesIn(path)).some((name) => /^\d+$/.test(name))],
  ["pg_wal", async (path) => (await namesIn(path)).some((name) => /^[0-9A-F]{24}$/.test(name))],
  ["pg_xact", async (path) => (await namesIn(path)).length > 0],
  ["pg_multixact", async (path) => (await namesIn(path)).length > 0]
]

const missingIn = async (folder: string): Promise<string | undefined> => {
  for (const [name, isSound] of parts) {
    if (!(await isSound(join(folder, name)))) return name
  }
  return undefined
}

/**
 * Whether the data folder has a database, looked at before anything opens it: PGlite would make one in place of one that is not
 * whole. Fails for a database that is not whole.
 */
export const hasDatabase = (data_dir: string): Effect.Effect<boolean, DataFolderUnusable> =>
  Effect.gen(function* () {
    const attempt = <A>(run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: unusable(data_dir) })
    const folder = databaseFolder(data_dir)
    // A link whose target is gone, such as a disk that is not mounted, is there as well.
    if (!(yield* attempt(() => isThere(folder)))) return false
    const missing = yield* attempt(() => missingIn(folder))
    if (missing === undefined) return true
    const reason = `its database is not whole, postgres/${missing} is missing or damaged. ${remedy}`
    return yield* new DataFolderUnusable({ path: data_dir, reason })
  })

/**
 * Whether a database must be made. Fails where there is none beside somebody's files: keys and a demo whose database is gone, or
 * a folder that is not the service's.
 */
export const needsDatabase = (data_dir: string): Effect.Effect<boolean, DataFolderUnusable> =>
  Effect.gen(function* () {
    if (yield* hasDatabase(data_dir)) return false
    const names = yield* Effect.tryPromise({ try: () => namesIn(data_dir), catch: unusable(data_dir) })
    const [first, ...others] = names.filter((name) => !isOfNobody(name)).toSorted()
    if (first === undefined) return true
    const held = others.length === 0 ? first : `${first} and ${others.length} more`
    const reason = `it holds ${held}, but no database. ${remedy}`
    return yield* new DataFolderUnusable({ path: data_dir, reason })
  })
