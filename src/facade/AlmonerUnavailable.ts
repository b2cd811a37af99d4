import { Cause, Data } from "effect"
import { loggedCause } from "../app/kernel/steps/LoggedCause.ts"
import { Contended } from "../ports/kernel/Transaction.ts"

/**
 * Something that an operation needs broke or was held by others for too long: the database is away, a record does not
 * read, a lock was not had in time, this `Almoner` is closed. Whether a write was made is not known when the connection was lost during its commit; anything else wrote nothing. `cause` says
 * what broke and holds no value of a request or a record, so that it may be logged.
 */
export class AlmonerUnavailable extends Data.TaggedError("AlmonerUnavailable")<{
  readonly message: string
  readonly cause?: unknown
}> {}

const isContention = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => Cause.isDieReason(reason) && reason.defect instanceof Contended)

/** The failure that stands for a cause that no use case promises. */
export const unavailable = (cause: Cause.Cause<unknown>): AlmonerUnavailable =>
  Cause.hasInterruptsOnly(cause)
    ? new AlmonerUnavailable({ message: "The operation was interrupted: Almoner was closed." })
    : new AlmonerUnavailable({
        message: isContention(cause)
          ? new Contended().message
          : "The operation could not be carried out: something that it needs is not available.",
        cause: Cause.squash(loggedCause(cause))
      })
