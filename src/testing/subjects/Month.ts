import { DateTime } from "effect"
import fc from "fast-check"

export const dayMillis = 86_400_000

/** Instants of one month, close enough that every span of days in a guard is met from both sides. */
export const instant: fc.Arbitrary<DateTime.Utc> = fc
  .integer({ min: 0, max: 30 * dayMillis })
  .map((millis) => DateTime.makeUnsafe(Date.UTC(2026, 0, 1) + millis))

/** Whole hours from the beginning of that month on: instants that are compared often coincide. */
export const hourWithin = (hours: number): fc.Arbitrary<DateTime.Utc> =>
  fc.integer({ min: 0, max: hours }).map((each) => DateTime.makeUnsafe(Date.UTC(2026, 0, 1) + each * 3_600_000))

/** Milliseconds since the epoch. */
export const millis = DateTime.toEpochMillis
