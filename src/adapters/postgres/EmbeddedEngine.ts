import { PGlite } from "@electric-sql/pglite"
import { NodeFS } from "@electric-sql/pglite/nodefs"
import { Predicate } from "effect"
import { SyncedFiles } from "./EmbeddedFiles.ts"

/**
 * `synced`: a commit is on disk before it is answered, and so are the pages a checkpoint covers.
 * `relaxed`: a commit is handed to the operating system; it survives the process, not a power cut.
 */
export type Durability = "synced" | "relaxed"

/** One connection's hold on the database; it ends when the next one starts. */
export interface Session {
  /** Runs whole protocol messages and answers the server's bytes. Rejects when the session or the database ended. */
  readonly execute: (bytes: Uint8Array) => Promise<Buffer>
}

/** The database inside the process. */
export interface Engine {
  /** Starts a clean session; opens the database again, with recovery from its log, when it had broken down. */
  readonly connect: () => Promise<Session>
  readonly close: () => Promise<void>
}

const settings = {
  application_name: "almoner",
  TimeZone: "UTC",
  shared_buffers: "8MB",
  min_wal_size: "32MB",
  max_wal_size: "128MB"
}

/** PGlite turns fsync off by default (-F). */
export const startParams = (durability: Durability): Array<string> => [
  ...PGlite.defaultStartParams.filter((flag) => durability === "relaxed" || flag !== "-F"),
  ...Object.entries({ ...settings, ...(durability === "synced" ? { wal_sync_method: "open_datasync" } : {}) }).flatMap(
    ([name, value]) => ["-c", `${name}=${value}`]
  )
]

/** Opens an initialised folder; a refusal carries what the database printed. */
export const openFolder = async (folder: string, durability: Durability): Promise<PGlite> => {
  const printed: Array<string> = []
  const database = new PGlite({
    fs: durability === "synced" ? new SyncedFiles(folder) : new NodeFS(folder),
    startParams: startParams(durability),
    onStderr: (line) => {
      if (printed.push(line) > 20) printed.shift()
      return false
    }
  })
  try {
    await database.waitReady
    return database
  } catch (cause) {
    await database.fs?.closeFs().catch(() => {})
    const fatal = printed.findLast((line) => /\b(FATAL|PANIC|ERROR):/.test(line))
    throw new Error(fatal?.replace(/^.*?\b(?:FATAL|PANIC|ERROR):\s*/, "") ?? String(cause), { cause })
  }
}

/** The status with which a failed statement leaves the main loop; the loop goes on after it. */
const statementFailed = 100

/**
 * Stops a database that broke down (a PANIC because the disk is full, a trap). PGlite itself would go on with whatever
 * is in memory, and write it. `stackRestore` is the first thing PGlite calls after a failure, outside its own catch.
 */
const stopWhenBroken = (database: PGlite): (() => Error | undefined) => {
  const module = database.Module
  const step = module._PostgresMainLoopOnce
  let broken: Error | undefined
  module._PostgresMainLoopOnce = () => {
    try {
      step()
    } catch (cause) {
      if (!Predicate.hasProperty(cause, "status") || cause.status !== statementFailed) {
        const failure = new Error("the embedded database stopped", { cause })
        broken = failure
        module.stackRestore = () => {
          throw failure
        }
        module._PostgresSendReadyForQueryIfNecessary = () => {}
        module._pgl_pq_flush = () => {}
      }
      throw cause
    }
  }
  return () => broken
}

const exchange = async (database: PGlite, bytes: Uint8Array): Promise<Buffer> => {
  const answer: Array<Uint8Array> = []
  await database.execProtocolRawStream(bytes, {
    syncToFs: false,
    onRawData: (data) => {
      answer.push(data.slice())
    }
  })
  return Buffer.concat(answer)
}

interface Opened {
  readonly database: PGlite
  readonly broken: () => Error | undefined
}

/** An attempt to open costs hundreds of milliseconds; statements that fail at once must not repeat it each time. */
const reopenAfterMilliseconds = 1000

/** A database that `open` opens now, and again after it broke down. */
export const makeEngine = async (open: () => Promise<PGlite>): Promise<Engine> => {
  const start = async (): Promise<Opened> => {
    const database = await open()
    return { database, broken: stopWhenBroken(database) }
  }
  let opened: Opened | undefined = await start()
  let refused: { readonly cause: unknown; readonly at: number } | undefined
  let current: Session | undefined

  const live = async (): Promise<PGlite> => {
    if (opened?.broken() !== undefined) {
      await opened.database.fs?.closeFs().catch(() => {})
      opened = undefined
    }
    if (opened === undefined) {
      if (refused !== undefined && performance.now() - refused.at < reopenAfterMilliseconds) throw refused.cause
      opened = await start().catch((cause) => {
        refused = { cause, at: performance.now() }
        throw cause
      })
    }
    return opened.database
  }

  const connect = async () => {
    const database = await live()
    if (database.isInTransaction()) await database.exec("ROLLBACK")
    await database.exec("DISCARD ALL")
    const session: Session = {
      execute: (bytes) =>
        current === session ? exchange(database, bytes) : Promise.reject(new Error("the session has ended"))
    }
    current = session
    return session
  }

  const close = async () => {
    current = undefined
    if (opened !== undefined && opened.broken() === undefined) await opened.database.close()
  }

  return { connect, close }
}
