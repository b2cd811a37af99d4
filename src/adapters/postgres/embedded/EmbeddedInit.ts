import { spawn } from "node:child_process"
import { mkdir, open, readdir, rename, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"
import { Effect } from "effect"
import { DataFolderUnusable, unusable } from "./DataFolder.ts"
import { databaseFolder, isDraft, needsDatabase, newDraft } from "./FolderLock.ts"

/**
 * Plain JavaScript, so that it runs alike from the sources and from the build. Its input ends with the process that started it,
 * whose next start would remove what an orphan goes on writing.
 */
const script = `
const [pglite, folder] = process.argv.slice(1)
process.stdin.resume().once("close", () => process.exit(1))
require(pglite).PGlite.create({ dataDir: folder }).then((database) => database.close()).then(() => process.exit(0), (cause) => {
  console.error(cause && cause.message || cause)
  process.exit(1)
})`

/** Initialises a database in a process of its own: it takes hundreds of megabytes, which a process never gives back. */
const runInitialisation = (data_dir: string, folder: string): Effect.Effect<void, DataFolderUnusable> =>
  Effect.callback((resume) => {
    const pglite = createRequire(import.meta.url).resolve("@electric-sql/pglite")
    const child = spawn(process.execPath, ["-e", script, pglite, folder], {
      stdio: ["pipe", "ignore", "pipe"],
      env: { ...process.env, NODE_OPTIONS: "" }
    })
    let printed = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      printed = (printed + text).slice(-2000)
    })
    child.once("error", (cause) => resume(Effect.fail(unusable(data_dir)(cause))))
    child.once("close", (status, signal) => {
      if (status === 0) return resume(Effect.void)
      const reason = printed.trim() === "" ? `initialisation ended with ${signal ?? status}` : printed.trim()
      resume(Effect.fail(new DataFolderUnusable({ path: data_dir, reason })))
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const syncEntry = async (path: string): Promise<void> => {
  const file = await open(path, "r")
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

const syncTree = async (folder: string): Promise<void> => {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await syncEntry(join(entry.parentPath, entry.name))
  }
  await syncEntry(folder)
}

/** Makes the database unless there is one. It gets its name once complete: a start that is cut short leaves none. */
export const initialise = (
  data_dir: string,
  options: { readonly sync: boolean }
): Effect.Effect<void, DataFolderUnusable> =>
  Effect.gen(function* () {
    const attempt = <A>(run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: unusable(data_dir) })
    const isNeeded = yield* needsDatabase(data_dir)
    for (const name of yield* attempt(() => readdir(data_dir))) {
      if (isDraft(name)) {
        yield* Effect.promise(() => rm(join(data_dir, name), { recursive: true, force: true }).catch(() => {}))
      }
    }
    if (!isNeeded) return
    const draft = join(data_dir, newDraft())
    yield* attempt(() => mkdir(draft, { mode: 0o700 }))
    yield* runInitialisation(data_dir, draft).pipe(
      Effect.onError(() => Effect.promise(() => rm(draft, { recursive: true, force: true }).catch(() => {})))
    )
    if (options.sync) yield* attempt(() => syncTree(draft))
    yield* attempt(() => rename(draft, databaseFolder(data_dir)))
    if (options.sync) yield* attempt(() => syncEntry(data_dir))
  })
