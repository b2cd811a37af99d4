import { type DateTime, Duration } from "effect"
import { addTime } from "../kernel/InstantRange.ts"
import { Limits } from "../kernel/Limits.ts"

/** Counts of something that is tried until it succeeds: its attempts whose outcome is known, and those that were interrupted. */
export interface AttemptCount {
  readonly attempt_count: number
  readonly interruption_count: number
}

/**
 * Whether the attempt that is next is the last one.
 * @example Attempts.isLast({ attempt_count: 5, interruption_count: 0 }) // => true
 */
export const isLast = ({ attempt_count }: AttemptCount): boolean => attempt_count + 1 >= Limits.deliveryAttempts

/**
 * Whether the interruption that is next is the last one.
 * @example Attempts.isLastInterruption({ attempt_count: 0, interruption_count: 0 }) // => false
 */
export const isLastInterruption = ({ interruption_count }: AttemptCount): boolean =>
  interruption_count + 1 >= Limits.deliveryInterruptions

/**
 * The fields after one more attempt.
 * @example Attempts.countAttempt({ attempt_count: 1, interruption_count: 0 }, at) // => { attempt_count: 2, updated_at: at }
 */
export const countAttempt = ({ attempt_count }: AttemptCount, at: DateTime.Utc) => ({
  attempt_count: attempt_count + 1,
  updated_at: at
})

/**
 * The fields after one more interruption.
 * @example
 * Attempts.interruptedOnce({ attempt_count: 1, interruption_count: 0 }, at)
 * // => { interruption_count: 1, updated_at: at }
 */
export const interruptedOnce = ({ interruption_count }: AttemptCount, at: DateTime.Utc) => ({
  interruption_count: interruption_count + 1,
  updated_at: at
})

/** The conditions on which an attempt or an interruption is followed by another, or is the last: parts of a machine's row. */
export const attemptsLeft = {
  when: "attempts are left; the next one is due on the schedule",
  guard: (self: AttemptCount): boolean => !isLast(self)
}
/** The guard of what the last attempt ends. */
export const lastAttempt = { when: "this was the sixth attempt", guard: isLast }
/** The guard of a retry after an interruption. */
export const interruptionsLeft = {
  when: "interruptions are left; the next attempt is due at once after the first, then on the schedule's delays",
  guard: (self: AttemptCount): boolean => !isLastInterruption(self)
}
/** The guard of what the last interruption ends. */
export const lastInterruption = { when: "this was the sixth interruption", guard: isLastInterruption }

const delaySeconds = (earlier: number): number => Limits.deliveryDelaysSeconds[earlier] ?? 0

/**
 * When the attempt after the `failed`-th is due. service-spec, Delivery shape: Retries.
 * @example Attempts.dueAfter(1, at) // => DateTime.add(at, { minutes: 1 })
 */
export const dueAfter = (failed: number, at: DateTime.Utc): DateTime.Utc =>
  addTime(at, Duration.seconds(delaySeconds(failed)))

/**
 * Changes of a failed attempt that is not the last.
 * @example
 * Attempts.triedAgainLater({ attempt_count: 0, interruption_count: 0 }, at).next_attempt_at
 * // => Attempts.dueAfter(1, at)
 */
export const triedAgainLater = (self: AttemptCount, at: DateTime.Utc) => ({
  ...countAttempt(self, at),
  next_attempt_at: dueAfter(self.attempt_count + 1, at)
})

/**
 * Changes of an interruption that is not the last.
 * @example Attempts.resumedLater({ attempt_count: 2, interruption_count: 0 }, at).interruption_count // => 1
 */
export const resumedLater = (self: AttemptCount, at: DateTime.Utc) => ({
  ...interruptedOnce(self, at),
  next_attempt_at: dueAfter(self.interruption_count, at)
})

/**
 * The longest wait that something pending can have ahead of it at any time, seconds. A due time further ahead was
 * written before the clock was set back.
 * @example Attempts.longestWaitSeconds({ attempt_count: 0, interruption_count: 0 }) // => 0
 */
export const longestWaitSeconds = ({ attempt_count, interruption_count }: AttemptCount): number =>
  Math.max(delaySeconds(attempt_count), delaySeconds(Math.max(0, interruption_count - 1)))
