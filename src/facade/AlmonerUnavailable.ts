import { Cause, Data } from "effect"
import { DatabaseUnusable, troubleOfCause } from "../ports/kernel/DatabaseTrouble.ts"
import { loggedCause } from "../ports/kernel/LoggedCause.ts"
import { LockTimeout } from "../ports/kernel/Transaction.ts"

/**
 * Something that an operation needs failed or was held by others for too long: the database is away, a record cannot be
 * read, a lock was not had in time, this `Almoner` is closed. Where the connection was lost during the commit, it is
 * not known whether the write was made; in every other case nothing was written. `cause` says what failed and holds no
 * value of a request or a record, so that it may be logged.
 */
export class AlmonerUnavailable extends Data.TaggedError("AlmonerUnavailable")<{
  readonly message: string
  readonly cause?: unknown
}> {}

const isContention = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => Cause.isDieReason(reason) && reason.defect instanceof LockTimeout)

const messageOf = (cause: Cause.Cause<unknown>): string => {
  if (isContention(cause)) return new LockTimeout().message
  const trouble = troubleOfCause(cause)
  return trouble === undefined
    ? "The operation could not be carried out: something that it needs is not available."
    : new DatabaseUnusable(trouble).message
}

/** The failure for a cause that is not among a use case's typed failures. */
export const unavailable = (cause: Cause.Cause<unknown>): AlmonerUnavailable =>
  Cause.hasInterruptsOnly(cause)
    ? new AlmonerUnavailable({ message: "The operation was interrupted: Almoner was closed." })
    : new AlmonerUnavailable({
        message: messageOf(cause),
        cause: Cause.squash(loggedCause(cause))
      })
