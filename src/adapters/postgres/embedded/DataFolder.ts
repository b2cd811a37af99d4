import { Schema } from "effect"
import { textAt } from "../../../domain/kernel/Text.ts"

/**
 * `synced`: a commit is on disk before it is answered, and so are the pages a checkpoint covers.
 * `relaxed`: a commit is handed to the operating system; it survives the process, not a power cut.
 */
export type Durability = "synced" | "relaxed"

/** Another process has the data folder open. `pid` is the id that this process gave of itself. */
export class DataFolderLocked extends Schema.TaggedError<DataFolderLocked>()("DataFolderLocked", {
  path: Schema.String,
  pid: Schema.NullOr(Schema.Int)
}) {
  override get message(): string {
    const by = this.pid === null ? "another process" : `another process (process id ${this.pid})`
    return `The data folder ${this.path} is in use by ${by}. Stop it, or choose another folder.`
  }
}

/** The data folder cannot be read, written or opened as a database. `reason` completes a sentence. */
export class DataFolderUnusable extends Schema.TaggedError<DataFolderUnusable>()("DataFolderUnusable", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `The data folder ${this.path} cannot be used: ${this.reason}.`
  }
}

/** There is no database in the data folder, and this command does not make one. */
export class DatabaseMissing extends Schema.TaggedError<DatabaseMissing>()("DatabaseMissing", {
  path: Schema.String
}) {
  override get message(): string {
    return `There is no database in the data folder ${this.path}. Run this where the server was started, or with its DATA_DIR or DATABASE_URL; almoner serve and almoner migrate make a new one.`
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "this user may not write to it",
  EPERM: "this user may not write to it",
  EROFS: "it is on a read-only file system",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  ENOTDIR: "it is not a folder",
  EEXIST: "it is not a folder",
  EMFILE: "too many files are open"
}

/** The code of a failed system call, such as `ENOENT`. */
export const systemCode = (cause: unknown): string | undefined => textAt(cause, "code")

/** The failure of a system call on the folder, in words. */
export const unusable =
  (path: string) =>
  (cause: unknown): DataFolderUnusable =>
    new DataFolderUnusable({
      path,
      reason: reasons[systemCode(cause) ?? ""] ?? (cause instanceof Error ? cause.message : String(cause))
    })
