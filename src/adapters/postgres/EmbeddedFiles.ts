import { closeSync, constants, fsyncSync, openSync } from "node:fs"
import { NodeFS } from "@electric-sql/pglite/nodefs"
import { Predicate } from "effect"

type Init = NodeFS["init"]

interface OpenFile {
  readonly nfd?: number
  readonly node: object
}

interface FileOperations {
  readonly stream_ops: { fsync?: (file: OpenFile) => number }
  readonly flagsForNodeMap: Record<number, number>
  readonly realPath: (node: object) => string
}

const isFileOperations = (value: unknown): value is FileOperations =>
  Predicate.isObject(value) && "stream_ops" in value && "flagsForNodeMap" in value && "realPath" in value

/** O_DSYNC as the WebAssembly side spells it. */
const wasmDataSync = 0o10000

const syncFolder = (path: string): void => {
  const descriptor = openSync(path, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * A data folder whose `fsync` reaches the disk. PGlite's own file system answers it without doing anything, so that a
 * checkpoint would free the log before the pages it covers were safe; and it opens O_DSYNC files with the dearer O_SYNC.
 */
export class SyncedFiles extends NodeFS {
  override async init(...[database, options]: Parameters<Init>): ReturnType<Init> {
    const mounted = await super.init(database, options)
    mounted.emscriptenOpts.preRun?.push((module) => {
      const files: unknown = module.NODEFS
      if (!isFileOperations(files)) throw new Error("this version of PGlite has no file operations to synchronise")
      files.flagsForNodeMap[wasmDataSync] = constants.O_DSYNC
      files.stream_ops.fsync = (file) => {
        if (file.nfd === undefined) syncFolder(files.realPath(file.node))
        else fsyncSync(file.nfd)
        return 0
      }
    })
    return mounted
  }
}
