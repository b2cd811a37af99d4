import { DateTime } from "effect"
import { Limits } from "../../domain/kernel/Limits.ts"
import { dayMillis } from "./Month.ts"

/** Things that are tried until they succeed. */
interface Tried {
  readonly status: string
  readonly attempt_count: number
  readonly interruption_count: number
}

/** The waits after the first, second … failed attempt, milliseconds. service-spec, Delivery shape: Retries. */
const waits = [60_000, 5 * 60_000, 30 * 60_000, 3 * 3_600_000, dayMillis]

/** Whether it may be: what is pending has an attempt and an interruption left. */
export const isTriable = ({ attempt_count, interruption_count, status }: Tried): boolean =>
  status !== "PENDING" || (attempt_count < Limits.deliveryAttempts && interruption_count < Limits.deliveryInterruptions)

export const hasAttemptLeft = ({ attempt_count }: Tried): boolean => attempt_count < 5

export const hasInterruptionLeft = ({ interruption_count }: Tried): boolean => interruption_count < 5

/** When it is due after a failed attempt that is not the last. */
export const afterFailure = ({ attempt_count }: Tried, { at }: { readonly at: DateTime.Utc }) => ({
  next_attempt_at: DateTime.addDuration(at, waits[attempt_count] ?? 0)
})

/** When it is due after an interruption that is not the last: at once after the first. */
export const afterInterruption = ({ interruption_count }: Tried, { at }: { readonly at: DateTime.Utc }) => ({
  next_attempt_at: DateTime.addDuration(at, waits[interruption_count - 1] ?? 0)
})
