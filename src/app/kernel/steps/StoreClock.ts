import { DateTime, Effect } from "effect"
import { monotonicMillis } from "./Monotonic.ts"

/** A question to the store that was answered with its time: when it was asked and answered, monotonic milliseconds. */
interface Told {
  readonly at: DateTime.Utc
  readonly asked: number
  readonly answered: number
}

/** What a worker knows of the store's clock, so that it need not ask for the time. */
export interface StoreClock {
  /** Learns the time. True when the clock was set back since it was last told. */
  learn(told: Told): boolean
  /** The store's time at a monotonic one: never behind it by more than the clock was moved since it was last told. */
  at(monotonic: number): DateTime.Utc
}

/** A clock that went back by less than this was read unevenly, milliseconds. */
const toleranceMillis = 250

/**
 * Keeps the distance between the store's clock and a monotonic one. The time was read somewhere between question and answer:
 * counted from the question, what is worked out is late by that at most, and never early.
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
    at: (monotonic) => DateTime.makeUnsafe(Math.ceil(monotonic + ahead))
  }
}

/** A store's clock that is asked for the time, and carried on by monotonic time in between. */
export interface AskedClock {
  /** Asks for the time. True when the clock may have been set back since it was asked last: the first time it may. */
  readonly read: Effect.Effect<boolean>
  readonly now: Effect.Effect<DateTime.Utc>
}

/** Follows the clock that `ask` asks. */
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
