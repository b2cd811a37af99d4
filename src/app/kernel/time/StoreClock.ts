import { DateTime, Effect } from "effect"
import { instantAt } from "../../../domain/kernel/InstantRange.ts"
import { monotonicMillis } from "./Monotonic.ts"

/** An answer of the store with its time, and the monotonic milliseconds at which it was asked and answered. */
interface Told {
  readonly at: DateTime.Utc
  readonly asked: number
  readonly answered: number
}

/** A worker's knowledge of the store's clock, so that it need not ask for the time. */
export interface StoreClock {
  /** Learns the time. True when the clock was set back since the last answer. */
  learn(told: Told): boolean
  /** The store's time at a monotonic one: never behind the clock by more than that was moved since the last answer. */
  at(monotonic: number): DateTime.Utc
}

/** Milliseconds; a clock that seems to have gone back by less was read unevenly. */
const toleranceMillis = 250

/**
 * Keeps the distance between the store's clock and a monotonic one. The time was read at some moment between question
 * and answer. It is counted from the question, so that a computed time is late by that span at most, and never early.
 */
export const makeStoreClock = (): StoreClock => {
  let ahead = 0
  let atLeastAhead = Number.NEGATIVE_INFINITY
  return {
    learn: ({ answered, asked, at }) => {
      const millis = DateTime.toEpochMillis(at)
      const wasSetBack = millis - asked < atLeastAhead - toleranceMillis
      ahead = millis - asked
      atLeastAhead = millis - answered
      return wasSetBack
    },
    at: (monotonic) => instantAt(Math.ceil(monotonic + ahead))
  }
}

/** A store's clock that is asked for the time, and continued by monotonic time in between. */
export interface AskedClock {
  /** Asks for the time. True when the clock may have been set back since it was last asked; always true the first time. */
  readonly read: Effect.Effect<boolean>
  readonly now: Effect.Effect<DateTime.Utc>
}

/** Follows the clock that `ask` reads. */
export const followStoreClock = (ask: Effect.Effect<DateTime.Utc>): AskedClock => {
  const clock = makeStoreClock()
  let isKnown = false

  const read = Effect.gen(function* () {
    const asked = yield* monotonicMillis
    const at = yield* ask
    const wasSetBack = clock.learn({ at, asked, answered: yield* monotonicMillis })
    const isFirst = !isKnown
    isKnown = true
    return isFirst || wasSetBack
  })

  const now = Effect.gen(function* () {
    if (!isKnown) yield* read
    return clock.at(yield* monotonicMillis)
  })

  return { read, now }
}
