import { Cause, Effect } from "effect"
import { makeMonotonic } from "../../../app/kernel/time/Monotonic.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { troubleOfCause } from "../../../ports/kernel/DatabaseTrouble.ts"
import { isOutage, loggedCause } from "../../../ports/kernel/LoggedCause.ts"
import { LockTimeout } from "../../../ports/kernel/Transaction.ts"
import type { Problem } from "./Problem.ts"

/** The interval at which an outage is logged, milliseconds. */
const tellMillis = 60_000

const internalError: Problem = {
  code: "internal_error",
  message: "Something went wrong on our side. The log of the service says what, under this request_id."
}

/** The database is away: nothing of the request was stored. */
const outage: Problem = {
  code: "internal_error",
  message: `The service does not reach its records at this moment. Try again in ${Limits.outageRetrySeconds} s.`,
  retryAfterSeconds: Limits.outageRetrySeconds
}

/** The database refuses its work until somebody mends it. */
const standing: Problem = {
  code: "internal_error",
  message: "The service cannot use its records until its operator has put right what its log tells."
}

/** A change that waited too long for another: the message asks to try again, and nothing is stored under its key. */
const contention: Problem = { code: "conflict", message: new LockTimeout().message }

const isContended = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => Cause.isDieReason(reason) && reason.defect instanceof LockTimeout)

/** The answer to a request that failed unexpectedly. It does not tell the cause. */
export const problemOfBreakage = (cause: Cause.Cause<unknown>): Problem => {
  if (isContended(cause)) return contention
  if (isOutage(cause)) return outage
  return troubleOfCause(cause) === undefined ? internalError : standing
}

/** Logs trouble of the database: the first failed request of each kind at once, and from then on, once a minute, how many failed. */
const makeOutageLog = Effect.map(makeMonotonic, (now) => {
  let toldAt = Number.NEGATIVE_INFINITY
  let toldCode: string | undefined
  let untold = 0
  return (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
    Effect.suspend(() => {
      untold += 1
      const code = troubleOfCause(cause)?.code
      if (now() - toldAt < tellMillis && code === toldCode) return Effect.void
      const failed = untold
      untold = 0
      toldCode = code
      toldAt = now()
      const said = failed === 1 ? "the request failed" : `${failed} requests failed since this was last told`
      return Effect.logError(`The database cannot be used: ${said}`, loggedCause(cause))
    })
})

/** Logs unexpected failures with their cause. Trouble of the database is logged as one, and not for each request. */
export const makeBreakageLog = Effect.map(
  makeOutageLog,
  (tellOutage) =>
    (cause: Cause.Cause<unknown>): Effect.Effect<void> => {
      if (isContended(cause)) return Effect.logWarning("The request waited too long for another change")
      return isOutage(cause) || troubleOfCause(cause) !== undefined
        ? tellOutage(cause)
        : Effect.logError("The request failed", loggedCause(cause))
    }
)
