import { PGlite } from "@electric-sql/pglite"
import { Predicate } from "effect"
import { type Durability, systemCode } from "./DataFolder.ts"
import { DataFiles, SyncedFiles } from "./EmbeddedFiles.ts"

export interface Session {
  /** Runs whole protocol messages and returns the server's bytes. Rejects when the session or the database ended. */
  readonly execute: (bytes: Uint8Array) => Promise<Buffer>
  readonly hasEnded: () => boolean
}

export interface Engine {
  /** Starts a clean session. Where the database had broken down, it is opened again first, with recovery from its log. */
  readonly connect: () => Promise<Session>
  readonly close: () => Promise<void>
}

const settings = {
  application_name: "almoner",
  TimeZone: "UTC",
  shared_buffers: "8MB",
  min_wal_size: "32MB",
  max_wal_size: "128MB",
  // The database keeps files open and closes them when it must: connections need descriptors, too.
  max_files_per_process: "128"
}

/** Start parameters. PGlite turns fsync off by default (-F). */
export const startParams = (durability: Durability): Array<string> => [
  ...PGlite.defaultStartParams.filter((flag) => durability === "relaxed" || flag !== "-F"),
  ...Object.entries({ ...settings, ...(durability === "synced" ? { wal_sync_method: "open_datasync" } : {}) }).flatMap(
    ([name, value]) => ["-c", `${name}=${value}`]
  )
]

/** Opens an initialised folder. A failure carries the database's output. */
export const openFolder = async (folder: string, durability: Durability): Promise<PGlite> => {
  const printed: Array<string> = []
  const database = new PGlite({
    fs: durability === "synced" ? new SyncedFiles(folder) : new DataFiles(folder),
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

/** The status with which a failed statement leaves the main loop; the loop continues after it. */
const statementFailed = 100

/**
 * Stops a database that broke down (a PANIC because the disk is full, a trap). PGlite itself would go on with whatever
 * is in memory, and write it. `stackRestore` is the first function that PGlite calls after a failure, outside its own
 * catch.
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

/** The byte that begins an error among the server's messages. */
const errorMessage = 0x45

/** The SQLSTATE of an error message's fields, each a type byte and a text that ends with a zero. */
const sqlStateOf = (fields: Buffer): string => {
  for (let at = 0; at < fields.length && fields[at] !== 0; ) {
    const end = fields.indexOf(0, at)
    if (end === -1) break
    if (fields[at] === 0x43) return fields.toString("latin1", at + 1, end)
    at = end + 1
  }
  return ""
}

/**
 * Whether a SQLSTATE reports damage of the database itself rather than a failed statement. Class 58: a file is missing,
 * exists although it should not, or cannot be read. Class XX: an impossible state. A full disk or too few descriptors
 * are in class 53: there the statement failed, and the database is intact.
 */
const isDamage = (sqlState: string): boolean => sqlState.startsWith("58") || sqlState.startsWith("XX")

/**
 * The SQLSTATE of the first error in server messages that reports damage. Throws where they end within a message: nothing
 * follows it, and whoever reads it would wait for the rest for ever.
 */
export const damageIn = (messages: Buffer): string | undefined => {
  let at = 0
  while (at + 5 <= messages.length) {
    const end = at + 1 + messages.readUInt32BE(at + 1)
    if (messages[at] === errorMessage) {
      const sqlState = sqlStateOf(messages.subarray(at + 5, end))
      if (isDamage(sqlState)) return sqlState
    }
    at = end
  }
  if (at !== messages.length) throw new Error("the embedded database answered in part")
  return undefined
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

export type Incident =
  /** The database broke down, or reported damage; `reason` is a SQLSTATE, or completes a sentence. */
  | { readonly _tag: "Damaged"; readonly reason: string }
  | { readonly _tag: "Reopened"; readonly millis: number }
  /** The database could not be opened; the next attempt is at the first request after this time. */
  | { readonly _tag: "NotReopened"; readonly cause: unknown; readonly retryMillis: number }

/**
 * Reopening takes hundreds of milliseconds, in which nothing is answered, so that statements that fail at once must not
 * cause it each time. The wait doubles with every reopening, or attempt at one, that did not last.
 */
const firstWaitMillis = 1_000
const longestWaitMillis = 30_000
const lastingMillis = 60_000

const makeWait = () => {
  let wait = 0
  let since = Number.NEGATIVE_INFINITY
  return {
    /** How long the next reopening must still wait; 0 when it may begin. */
    remaining: (): number => Math.max(0, since + wait - performance.now()),
    begin: (): void => {
      const now = performance.now()
      wait =
        now - since > lastingMillis ? firstWaitMillis : Math.min(longestWaitMillis, Math.max(firstWaitMillis, 2 * wait))
      since = now
    }
  }
}

interface Opened {
  readonly database: PGlite
  readonly broken: () => Error | undefined
  damaged: boolean
}

/**
 * A database that `open` opens now, and opens again, with recovery from its log, after it broke down or reported damage
 * of its own. Everything that was answered is in the log; a statement that was under way fails with its connection.
 */
export const makeEngine = async (
  open: () => Promise<PGlite>,
  report: (incident: Incident) => void = () => {}
): Promise<Engine> => {
  const start = async (): Promise<Opened> => {
    const database = await open()
    return { database, broken: stopWhenBroken(database), damaged: false }
  }
  let opened: Opened | undefined = await start()
  let refusal: unknown
  let current: Session | undefined
  let running: Promise<unknown> = Promise.resolve()
  const wait = makeWait()

  /** Abandons a database whose memory cannot be trusted, as a crash would, with its files closed. */
  const abandon = async ({ database }: Opened): Promise<void> => {
    await running.catch(() => {})
    await database.fs?.closeFs().catch(() => {})
  }

  const reopen = async (): Promise<Opened> => {
    wait.begin()
    const since = performance.now()
    try {
      const again = await start()
      report({ _tag: "Reopened", millis: Math.round(performance.now() - since) })
      return again
    } catch (cause) {
      refusal = cause
      report({ _tag: "NotReopened", cause, retryMillis: Math.round(wait.remaining()) })
      throw cause
    }
  }

  /**
   * Whether to abandon the database: one that broke down does not answer; one that reported damage still answers in
   * part until it may be opened again.
   */
  const isToLeave = ({ broken, damaged }: Opened): boolean =>
    broken() !== undefined || (damaged && wait.remaining() === 0)

  const live = async (): Promise<Opened> => {
    if (opened !== undefined && isToLeave(opened)) {
      const former = opened
      opened = undefined
      refusal = former.broken()
      await abandon(former)
    }
    if (opened === undefined) {
      if (wait.remaining() > 0) throw refusal
      opened = await reopen()
    }
    return opened
  }

  const note = (of: Opened, reason: string): void => {
    if (!of.damaged) report({ _tag: "Damaged", reason })
    of.damaged = true
  }

  /** Ends the session after an answer that reports damage, so that the next session opens the database again. */
  const judge = (of: Opened, session: Session, answer: Buffer): void => {
    const sqlState = damageIn(answer)
    if (sqlState === undefined) return
    note(of, sqlState)
    if (current === session && wait.remaining() === 0) current = undefined
  }

  const execute = async (of: Opened, session: Session, bytes: Uint8Array): Promise<Buffer> => {
    const answering = exchange(of.database, bytes)
    running = answering
    try {
      const answer = await answering
      judge(of, session, answer)
      return answer
    } catch (cause) {
      if (of.broken() !== undefined) note(of, "it broke down")
      throw cause
    }
  }

  const clean = async (of: Opened): Promise<void> => {
    try {
      if (of.database.isInTransaction()) await of.database.exec("ROLLBACK")
      await of.database.exec("DISCARD ALL")
    } catch (cause) {
      const sqlState = systemCode(cause)
      if (sqlState !== undefined && isDamage(sqlState)) note(of, sqlState)
      throw cause
    }
  }

  const begin = async (): Promise<Session> => {
    current = undefined
    const of = await live()
    await clean(of)
    const session: Session = {
      execute: (bytes) =>
        current === session ? execute(of, session, bytes) : Promise.reject(new Error("the session has ended")),
      hasEnded: () => current !== session
    }
    current = session
    return session
  }

  /** Connections are made one after the other: two databases on one folder would destroy it. */
  let beginning: Promise<unknown> = Promise.resolve()
  const connect = (): Promise<Session> => {
    const session = beginning.then(begin, begin)
    beginning = session
    return session
  }

  const close = async () => {
    current = undefined
    if (opened === undefined || opened.broken() !== undefined) return
    if (opened.damaged) await abandon(opened)
    else await opened.database.close()
  }

  return { connect, close }
}
