import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as EmbeddedDatabase from "../../src/adapters/postgres/embedded/EmbeddedDatabase.ts"
import { hasDatabase, needsDatabase, newDraft } from "../../src/adapters/postgres/embedded/FolderLock.ts"
import { runFolder } from "../support/RunFolder.ts"
import { live } from "../support/Steps.ts"

const remedy = "Restore it from its backup, or choose an empty folder with DATA_DIR."

const files = ["PG_VERSION", "postgresql.conf", "global/pg_control", "global/pg_filenode.map"]
const folders = ["base", "pg_wal", "pg_xact", "pg_multixact"]

/** A folder that looks whole: that a server opens it is seen with real ones. */
const wholeFolder = (): string => {
  const data_dir = runFolder("contents")
  for (const name of ["global", "base/1", ...folders]) mkdirSync(join(data_dir, "postgres", name), { recursive: true })
  for (const name of [...files, "pg_wal/000000010000000000000001", "pg_xact/0000", "pg_multixact/offsets"]) {
    writeFileSync(join(data_dir, "postgres", name), "18\n")
  }
  return data_dir
}

const contents = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true }).map(String).toSorted()

/** Both ways to open a folder refuse it in these words, and leave it as it was. */
const refused = Effect.fnUntraced(function* (data_dir: string, reason: string) {
  const before = contents(data_dir)
  for (const layer of [EmbeddedDatabase.layer, EmbeddedDatabase.layerExisting]) {
    const failure = yield* Effect.flip(Effect.void.pipe(Effect.provide(layer({ data_dir }))))
    assert.strictEqual(failure.message, `The data folder ${data_dir} cannot be used: ${reason}. ${remedy}`)
  }
  assert.deepStrictEqual(contents(data_dir), before)
})

describe("a data folder", () => {
  live("with a whole database has one; an empty one has none", function* () {
    assert.isTrue(yield* hasDatabase(wholeFolder()))
    assert.isFalse(yield* hasDatabase(runFolder("contents")))
    assert.isFalse(yield* hasDatabase(join(runFolder("contents"), "absent")))
  })

  live("whose database lacks any part, or has it empty, is refused as it is", function* () {
    for (const name of [...files, ...folders]) {
      const reason = `its database is not whole, postgres/${name} is missing or damaged`
      const lacking = wholeFolder()
      rmSync(join(lacking, "postgres", name), { recursive: true })
      yield* refused(lacking, reason)
      if (files.includes(name)) writeFileSync(join(lacking, "postgres", name), "")
      else mkdirSync(join(lacking, "postgres", name))
      yield* refused(lacking, reason)
    }
  })

  live("with anything but a database has none made in it, and is left as it is", function* () {
    const somebodys: ReadonlyArray<readonly [names: ReadonlyArray<string>, held: string]> = [
      [["keys.json"], "keys.json"],
      [["demo.json", "keys.json", "run", "outbox"], "demo.json and 2 more"],
      [["PG_VERSION"], "PG_VERSION"],
      [["postgres.old", "lost+found"], "postgres.old"],
      [["postgres.new-0123456789ab", "demo.json.new"], "demo.json.new"]
    ]
    for (const [names, held] of somebodys) {
      const data_dir = runFolder("contents")
      for (const name of names) mkdirSync(join(data_dir, name))
      const failure = yield* Effect.flip(needsDatabase(data_dir))
      assert.strictEqual(
        failure.message,
        `The data folder ${data_dir} cannot be used: it holds ${held}, but no database. ${remedy}`
      )
    }
    const unused = runFolder("contents")
    for (const name of ["run", "lost+found", newDraft()]) mkdirSync(join(unused, name))
    assert.isTrue(yield* needsDatabase(unused))
    const found = runFolder("contents")
    writeFileSync(join(found, "notes.txt"), "")
    const failure = yield* Effect.flip(Effect.void.pipe(Effect.provide(EmbeddedDatabase.layer({ data_dir: found }))))
    assert.include(failure.message, "it holds notes.txt, but no database")
    assert.deepStrictEqual(contents(found), ["notes.txt"])
  })

  live("whose database is empty, a file or a link to nothing is refused as it is", function* () {
    const reason = "its database is not whole, postgres/PG_VERSION is missing or damaged"
    const make: ReadonlyArray<(path: string) => void> = [
      (path) => mkdirSync(path),
      (path) => writeFileSync(path, ""),
      (path) => symlinkSync("/nowhere", path)
    ]
    for (const put of make) {
      const data_dir = runFolder("contents")
      put(join(data_dir, "postgres"))
      yield* refused(data_dir, reason)
    }
  })
})
