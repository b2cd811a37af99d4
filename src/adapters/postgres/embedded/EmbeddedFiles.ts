import { closeSync, constants, fsyncSync, openSync } from "node:fs"
import { NodeFS } from "@electric-sql/pglite/nodefs"
import { Predicate } from "effect"

type Init = NodeFS["init"]

interface OpenFile {
  readonly fd: number
  readonly nfd?: number
  readonly node: object
}

interface FileOperations {
  readonly node_ops: { mknod: (parent: object, name: string, mode: number, device: number) => object }
  readonly stream_ops: { fsync?: (file: OpenFile) => number; open: (file: OpenFile) => void }
  readonly flagsForNodeMap: Record<number, number>
  readonly realPath: (node: object) => string
}

/** The WebAssembly side's table of files: names that it has seen, and open files. */
interface KnownFiles {
  readonly lookupNode: (parent: object, name: string) => object
  readonly destroyNode: (node: object) => void
  readonly getPath: (node: object) => string
  readonly unlink: (path: string) => void
  readonly closeStream: (fd: number) => void
}

const isFileOperations = (value: unknown): value is FileOperations =>
  Predicate.isObject(value) &&
  ["node_ops", "stream_ops", "flagsForNodeMap", "realPath"].every((name) => Predicate.hasProperty(value, name))

const isKnownFiles = (value: unknown): value is KnownFiles =>
  Predicate.isObject(value) &&
  ["lookupNode", "destroyNode", "getPath", "unlink", "closeStream"].every((name) => Predicate.hasProperty(value, name))

/** O_DSYNC in the WebAssembly side's flags. */
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
 * Leaves no trace of a file that could not be made. PGlite keeps the name of one that failed (no descriptor was left),
 * and the file of one that was made and could not be opened. The database, which then closes a descriptor and tries
 * again, would find a file in its way, until a restart.
 */
const makeWholeOrNotAtAll = (files: FileOperations, known: KnownFiles): void => {
  const { mknod } = files.node_ops
  const { open } = files.stream_ops
  let made: object | undefined
  files.node_ops.mknod = (parent, name, mode, device) => {
    try {
      made = mknod(parent, name, mode, device)
      return made
    } catch (cause) {
      known.destroyNode(known.lookupNode(parent, name))
      throw cause
    }
  }
  files.stream_ops.open = (file) => {
    try {
      open(file)
    } catch (cause) {
      known.closeStream(file.fd)
      if (file.node === made) known.unlink(known.getPath(file.node))
      throw cause
    } finally {
      made = undefined
    }
  }
}

/** A data folder in which a lack of descriptors makes only the statement fail. */
export class DataFiles extends NodeFS {
  /** A hook for further changes to the operations before the database starts. */
  protected prepare(_files: FileOperations): void {}

  override async init(...[database, options]: Parameters<Init>): ReturnType<Init> {
    const mounted = await super.init(database, options)
    mounted.emscriptenOpts.preRun?.push((module) => {
      const files: unknown = module.NODEFS
      const known: unknown = module.FS
      if (!isFileOperations(files) || !isKnownFiles(known)) {
        throw new Error("this version of PGlite has no file operations that can be mended")
      }
      makeWholeOrNotAtAll(files, known)
      this.prepare(files)
    })
    return mounted
  }
}

/**
 * A data folder whose `fsync` reaches the disk. PGlite's own file system does nothing for it, so that a checkpoint
 * would free the log before the pages it covers were safe; and it opens O_DSYNC files with the costlier O_SYNC.
 */
export class SyncedFiles extends DataFiles {
  protected override prepare(files: FileOperations): void {
    files.flagsForNodeMap[wasmDataSync] = constants.O_DSYNC
    files.stream_ops.fsync = (file) => {
      if (file.nfd === undefined) syncFolder(files.realPath(file.node))
      else fsyncSync(file.nfd)
      return 0
    }
  }
}
