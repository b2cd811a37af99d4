import { Cause, Predicate, Schema } from "effect"
import { textAt } from "../../domain/kernel/Text.ts"

/** A state of the database, or of the way to it, that its operator can bring about and mend. */
export interface DatabaseTrouble {
  /** The SQLSTATE or the system's code; empty where there is none. */
  readonly code: string
  /** Completes "The database cannot be used: …". It holds no value of a record, no user and no password. */
  readonly reason: string
  /** What its operator does about it: a sentence. */
  readonly remedy: string
  /** Whether it may pass without anybody's doing: what was refused may then be tried again. */
  readonly passes: boolean
}

type Row = readonly [reason: string, remedy: string, passes?: "passes"]

const rightAddress = "Set the right host and port in its URL."
const rightCertificate =
  "Give the server a certificate for the host in its URL, of an authority that this machine knows."
const seeItsLog = "Look into the server's log."
const ownDatabase = "Give Almoner a database, or a schema, of its own, or restore the tables from a backup."
const notPostgres = "Set host and port of a PostgreSQL server, version 15 or later, in its URL."
const startIt = "Start the server, or look why it does not start."
const makeRoom = "Make room on the disk of the server: nothing is written meanwhile."
const keepSessions = "Connect to the server itself, or have the pooler keep a session for each client."

const silent: Row = [
  "it did not answer in time",
  "Look whether a firewall stands before it, and whether it is overloaded."
]

/** Codes of the system and of TLS, which come from the way to the server. */
const ofTheWay: Readonly<Record<string, Row>> = {
  ECONNREFUSED: ["nothing listens at this address", "Start the server, or set the right host and port.", "passes"],
  ECONNRESET: ["it closed the connection", seeItsLog, "passes"],
  EPIPE: ["it closed the connection", seeItsLog, "passes"],
  ENOTFOUND: ["no such host is known", rightAddress],
  EAI_AGAIN: [
    "the host's name could not be resolved",
    "Look whether the name server of this machine answers.",
    "passes"
  ],
  EACCES: ["this user may not open its socket", "Let this user into the folder of the socket."],
  EPERM: ["this process may not open connections", "Let it connect: a firewall or the sandbox of the unit forbids it."],
  EHOSTUNREACH: ["there is no way to this host", rightAddress],
  ENETUNREACH: ["there is no way to this host", rightAddress],
  ETIMEDOUT: silent,
  ENOENT: ["its socket does not exist", "Start the server, or set the right folder of its socket.", "passes"],
  EPROTO: ["it does not speak TLS as this process does", "Set sslmode=disable where it has no TLS, or mend its TLS."],
  DEPTH_ZERO_SELF_SIGNED_CERT: ["its certificate is signed by itself", rightCertificate],
  SELF_SIGNED_CERT_IN_CHAIN: ["the authority of its certificate is not known", rightCertificate],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ["the authority of its certificate is not known", rightCertificate],
  UNABLE_TO_GET_ISSUER_CERT: ["the authority of its certificate is not known", rightCertificate],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ["the authority of its certificate is not known", rightCertificate],
  CERT_HAS_EXPIRED: ["its certificate has expired", "Renew the certificate of the server."],
  CERT_NOT_YET_VALID: ["its certificate is not valid yet", "Set the clock of this machine, or renew the certificate."],
  ERR_TLS_CERT_ALTNAME_INVALID: ["its certificate is for another host", rightCertificate]
}

/** SQLSTATEs, as the server reports them. */
const ofTheServer = {
  "08P01": ["it, or a pooler before it, does not accept this connection", seeItsLog],
  "25006": [
    "it is read-only: a standby, or a database or role with default_transaction_read_only",
    "Set the address of the server that takes writes, or let the role write.",
    "passes"
  ],
  "26000": ["a pooler before it gave this session to another client", keepSessions],
  "28000": [
    "it refuses this user",
    "Create the role with LOGIN and its password, and let it in, with TLS or without, in pg_hba.conf."
  ],
  "28P01": ["it refuses this user name or password", "Set the role's name and password in its URL, percent-encoded."],
  "3D000": ["there is no database of this name", "Create it, or set the right name in its URL."],
  "3F000": ["there is no schema for its tables", "Create the schema, or give the role a search_path that names one."],
  "42501": [
    "the role lacks a right",
    "Give the role the rights of the deploy guide: a database of its own, or CREATE on the schema."
  ],
  "42P01": ["a table of Almoner is missing", ownDatabase],
  "42703": ["a table of Almoner is not as Almoner made it", ownDatabase],
  "42P05": ["a pooler before it gave this session to another client", keepSessions],
  "42P07": ["it has tables of another program", ownDatabase],
  "42710": ["it has objects of another program", ownDatabase],
  "53100": ["its disk is full", makeRoom, "passes"],
  "53200": ["it is out of memory", "Give the server more memory, or fewer connections.", "passes"],
  "53300": [
    "it has no connections left",
    "End other programs' connections, raise max_connections, or lower DATABASE_POOL_SIZE.",
    "passes"
  ],
  "53400": ["it has reached a limit of its configuration", seeItsLog],
  "57014": ["it ended a statement that took too long", "Look at its load, and at what holds locks."],
  "57P01": ["it is being shut down, or ended this session", startIt, "passes"],
  "57P02": ["one of its processes crashed", seeItsLog, "passes"],
  "57P03": ["it is starting up or shutting down", startIt, "passes"],
  "57P04": ["the database was dropped", "Restore it from a backup, or set the right name in its URL."],
  "57P05": ["it ended a session that was idle", "Set idle_session_timeout of the role to 0.", "passes"],
  "58030": [
    "it cannot read or write its disk",
    "Look at the disk of the server, and restore from a backup if need be."
  ],
  "58P01": ["a file of it is missing", "Look at the disk of the server, and restore from a backup if need be."],
  XX001: ["its files are damaged", "Restore it from a backup."],
  XX002: ["an index of it is damaged", "REINDEX it, or restore from a backup."]
} as const satisfies Readonly<Record<string, Row>>

const rows: ReadonlyMap<string, Row> = new Map<string, Row>(Object.entries({ ...ofTheWay, ...ofTheServer }))

/** What the driver finds by itself while it connects, by the beginning of what it says; the code is our own. */
const ofTheDriver: ReadonlyArray<readonly [says: string, code: string, row: Row]> = [
  ["Server refused TLS", "no_tls", ["it has no TLS", "Set sslmode=disable in its URL, or turn ssl on at the server."]],
  ["No password configured", "no_password", ["it asks for a password", "Set the role's password in its URL."]],
  ["Failed to parse", "not_postgresql", ["what answers there is not PostgreSQL", notPostgres]],
  ["Invalid SSLRequest", "not_postgresql", ["what answers there is not PostgreSQL", notPostgres]],
  ["Protocol desync", "not_postgresql", ["what answers there is not PostgreSQL", notPostgres]],
  ["Connection closed during startup", "closed", ["it closed the connection", seeItsLog, "passes"]]
]

/** Codes of one meaning each, whose message says which thing it is: names of the schema, never values. */
const named: ReadonlySet<string> = new Set(["08P01", "42501", "42P01", "42703", "42P07", "42710", "53400"])

const deepest = 6

const next = (error: object): unknown =>
  Predicate.hasProperty(error, "reason") && Predicate.isObject(error.reason)
    ? error.reason
    : Predicate.hasProperty(error, "cause")
      ? error.cause
      : undefined

const troubleOfRow = (code: string, [reason, remedy, passes]: Row, said: string | undefined): DatabaseTrouble => ({
  code,
  reason: said !== undefined && named.has(code) ? `${reason}: ${said}` : reason,
  remedy,
  passes: passes !== undefined
})

/** The trouble of a known code, which nothing has failed with yet; `said` tells which thing it is. */
export const troubleWithCode = (code: keyof typeof ofTheServer, said?: string): DatabaseTrouble =>
  troubleOfRow(code, ofTheServer[code], said)

/** A server, or the way to it, that says nothing. */
export const silence: DatabaseTrouble = troubleOfRow("ETIMEDOUT", silent, undefined)

const troubleAt = (error: object): DatabaseTrouble | undefined => {
  const message = textAt(error, "message")
  const code = textAt(error, "code") ?? ""
  const row = rows.get(code)
  if (row !== undefined) return troubleOfRow(code, row, message)
  const own = ofTheDriver.find(([says]) => message?.startsWith(`PgConnection: ${says}`))
  return own === undefined ? undefined : troubleOfRow(own[1], own[2], undefined)
}

/** What lies deepest of an error of the SQL client: the system's code is beneath what the driver says about it. */
const deepestOf = <A>(error: unknown, read: (error: object) => A | undefined): A | undefined => {
  let isOfDatabase = false
  let found: A | undefined
  let at = error
  for (let depth = 0; depth < deepest && Predicate.isObject(at); depth++) {
    isOfDatabase ||= Predicate.isTagged(at, "SqlError")
    if (isOfDatabase) found = read(at) ?? found
    at = next(at)
  }
  return found
}

/**
 * The trouble that an error of the SQL client, or an error that it caused, tells of. Undefined for any other error, and for
 * what only a mistake of this program brings about.
 */
export const troubleOf = (error: unknown): DatabaseTrouble | undefined => deepestOf(error, troubleAt)

/** The first of a cause's errors that tells something. */
const firstOf = <A>(cause: Cause.Cause<unknown>, read: (error: unknown) => A | undefined): A | undefined => {
  for (const reason of cause.reasons) {
    if (Cause.isInterruptReason(reason)) continue
    const found = read(Cause.isFailReason(reason) ? reason.error : reason.defect)
    if (found !== undefined) return found
  }
  return undefined
}

/** The trouble that a cause tells of. */
export const troubleOfCause = (cause: Cause.Cause<unknown>): DatabaseTrouble | undefined => firstOf(cause, troubleOf)

/** The SQLSTATE of the database's error in a cause; undefined where the database gave none. */
export const sqlStateOf = (cause: Cause.Cause<unknown>): string | undefined =>
  firstOf(cause, (error) =>
    deepestOf(error, (at) => {
      const code = textAt(at, "code") ?? ""
      return /^[0-9A-Z]{5}$/u.test(code) && /\d/u.test(code) ? code : undefined
    })
  )

/** A trouble as it is told: what is wrong, its code, and what to do. */
export const troubleText = ({ code, reason, remedy }: Omit<DatabaseTrouble, "passes">): string =>
  `${reason}${code === "" ? "" : ` (${code})`}. ${remedy}`

/** The fields of a failure that tells of trouble. */
export const troubleFields = {
  code: Schema.String,
  reason: Schema.NonEmptyString,
  remedy: Schema.String.check(Schema.isPattern(/^\S.*\.$/))
}

/** The database answers, and cannot be used as it is. */
export class DatabaseUnusable extends Schema.TaggedError<DatabaseUnusable>()("DatabaseUnusable", troubleFields) {
  override get message(): string {
    return `The database cannot be used: ${troubleText(this)}`
  }
}
