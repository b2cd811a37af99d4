import { DateTime, Duration } from "effect"
import { Limits } from "../kernel/Limits.ts"

/** What is tried until it succeeds: its attempts whose outcome is known, and those that were interrupted. */
export interface Tried {
  readonly attempt_count: number
  readonly interruption_count: number
}

/** Whether the attempt that is next is the last one. */
export const isLast = ({ attempt_count }: Tried): boolean => attempt_count + 1 >= Limits.deliveryAttempts

/** Whether the interruption that is next is the last one. */
export const isLastInterruption = ({ interruption_count }: Tried): boolean =>
  interruption_count + 1 >= Limits.deliveryInterruptions

export const counted = ({ attempt_count }: Tried, at: DateTime.Utc) => ({
  attempt_count: attempt_count + 1,
  updated_at: at
})

export const interruptedOnce = ({ interruption_count }: Tried, at: DateTime.Utc) => ({
  interruption_count: interruption_count + 1,
  updated_at: at
})

const delaySeconds = (earlier: number): number => Limits.deliveryDelaysSeconds[earlier] ?? 0

/** When the attempt after the `failed`-th is due. service-spec, Delivery shape: Retries. */
export const dueAfter = (failed: number, at: DateTime.Utc): DateTime.Utc =>
  DateTime.addDuration(at, Duration.seconds(delaySeconds(failed)))

/**
 * The longest wait that something pending can have ahead of it at any time, seconds. A due time further ahead was
 * written before the clock was set back.
 */
export const longestWaitSeconds = ({ attempt_count, interruption_count }: Tried): number =>
  Math.max(delaySeconds(attempt_count), delaySeconds(Math.max(0, interruption_count - 1)))
