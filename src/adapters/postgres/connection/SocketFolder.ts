import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Effect, type Scope } from "effect"
import { type DataFolderUnusable, unusable } from "../embedded/DataFolder.ts"

/** A unix socket's address holds 104 bytes on the systems where it holds least. */
const addressBytes = 103
const longestNameBytes = 24

const fits = (folder: string): boolean => Buffer.byteLength(folder) + 1 + longestNameBytes <= addressBytes

/** The folder in `data_dir` for locks and sockets; only its owner may enter it. */
export const runFolder = (data_dir: string): string => join(resolve(data_dir), "run")

/**
 * A name of the run folder that is short enough for sockets with names of up to 24 bytes. A long path gets a short
 * second name, through a link in a private temporary folder, for as long as the scope is open; the sockets themselves
 * lie in the data folder, so that every process that sees the folder sees them.
 */
export const socketFolder = (data_dir: string): Effect.Effect<string, DataFolderUnusable, Scope.Scope> =>
  Effect.gen(function* () {
    const folder = runFolder(data_dir)
    yield* Effect.tryPromise({
      try: () => mkdir(folder, { recursive: true, mode: 0o700 }),
      catch: unusable(data_dir)
    })
    if (fits(folder)) return folder
    const parent = fits(join(tmpdir(), "almoner-XXXXXX", "run")) ? tmpdir() : "/tmp"
    const link = yield* Effect.acquireRelease(
      Effect.tryPromise({ try: () => mkdtemp(join(parent, "almoner-")), catch: unusable(parent) }),
      (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
    )
    const short = join(link, "run")
    yield* Effect.tryPromise({ try: () => symlink(folder, short), catch: unusable(link) })
    return short
  })

/** The control socket's address in the data folder, served by the process that holds the folder, within the scope. */
export const controlSocket = (data_dir: string): Effect.Effect<string, DataFolderUnusable, Scope.Scope> =>
  Effect.map(socketFolder(data_dir), (folder) => join(folder, "control.sock"))
