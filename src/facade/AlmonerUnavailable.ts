import { Cause, Data } from "effect"
import { DatabaseUnusable, sqlStateOf, troubleOfCause } from "../ports/kernel/DatabaseTrouble.ts"
import { isOutage, loggedCause } from "../ports/kernel/LoggedCause.ts"
import { LockTimeout } from "../ports/kernel/Transaction.ts"

/**
 * Why an operation was not carried out:
 * - `closed`: this `Almoner` is closed, or was while it ran.
 * - `aborted`: the signal of the call was aborted; `cause` is its reason.
 * - `retry`: others held what it needs, or changed it at the same moment. Call again.
 * - `no_transaction`: the client of `within` has no transaction, or one that has failed: begin another one.
 * - `read_only`: the database takes no writes now.
 * - `away`: the database is not reached, or cannot be used as it is. Call again later.
 * - `broken`: anything else, such as an adapter that threw. `cause` says what.
 */
export type UnavailableReason = "aborted" | "away" | "broken" | "closed" | "no_transaction" | "read_only" | "retry"

/**
 * Something that an operation needs failed or was held by others for too long, as `reason` says; `sqlstate` is the
 * database's code, where it gave one. Where the connection was lost during the commit, it is not known whether the write
 * was made; in every other case nothing was written. `cause` says what failed and holds no value of a request or a record,
 * so that it may be logged.
 */
export class AlmonerUnavailable extends Data.TaggedError("AlmonerUnavailable")<{
  readonly message: string
  readonly reason: UnavailableReason
  readonly sqlstate?: string | undefined
  readonly cause?: unknown
}> {}

const isContention = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => Cause.isDieReason(reason) && reason.defect instanceof LockTimeout)

/** SQLSTATEs that say more than that the database cannot be used. PostgreSQL, appendix A. */
const ofState: Readonly<Record<string, readonly [reason: UnavailableReason, message: string]>> = {
  "40001": ["retry", "Another change came in between, so that nothing was written. Try again."],
  "40P01": ["retry", "This change and another one waited for each other, so that nothing was written. Try again."],
  "55P03": ["retry", new LockTimeout().message],
  "25P01": ["no_transaction", "The client of within has no transaction open. Begin one on it first."],
  "25P02": [
    "no_transaction",
    "The transaction of the client of within has failed. Roll it back, and begin another one."
  ]
}

/** The failure for a cause that is not among a use case's typed failures. */
export const unavailable = (cause: Cause.Cause<unknown>): AlmonerUnavailable => {
  if (Cause.hasInterruptsOnly(cause)) {
    return new AlmonerUnavailable({ reason: "closed", message: "The operation was interrupted: Almoner was closed." })
  }
  const told = { sqlstate: sqlStateOf(cause), cause: Cause.squash(loggedCause(cause)) }
  if (isContention(cause))
    return new AlmonerUnavailable({ reason: "retry", message: new LockTimeout().message, ...told })
  const known = ofState[told.sqlstate ?? ""]
  if (known !== undefined) return new AlmonerUnavailable({ reason: known[0], message: known[1], ...told })
  const trouble = troubleOfCause(cause)
  if (trouble !== undefined) {
    const reason = trouble.code === "25006" ? "read_only" : "away"
    return new AlmonerUnavailable({ reason, message: new DatabaseUnusable(trouble).message, ...told })
  }
  if (isOutage(cause)) {
    const message = "The database cannot be used: its connection was lost, gave no answer in time, or none came free."
    return new AlmonerUnavailable({ reason: "away", message, ...told })
  }
  const message = "The operation could not be carried out: something that it needs is not available."
  return new AlmonerUnavailable({ reason: "broken", message, ...told })
}
