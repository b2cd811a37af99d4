import { DateTime, type Duration, Option } from "effect"

/** The first millisecond of the year 1 and the last one of 9999: the range of a year of four digits in UTC. */
const [earliestMillis, latestMillis] = [-62_135_596_800_000, 253_402_300_799_999]

/** Whether an instant lies in the years 1 to 9999 in UTC. One beyond what a clock can hold, which is no number, does not. */
export const isInRange = ({ epochMilliseconds }: DateTime.DateTime): boolean =>
  epochMilliseconds >= earliestMillis && epochMilliseconds <= latestMillis

const earliest = DateTime.makeUnsafe(earliestMillis)

/** The last instant of the range. */
export const latest = DateTime.makeUnsafe(latestMillis)

/** An instant, or the end of the range beyond which it lies. */
export const clampInstant = (at: DateTime.Utc): DateTime.Utc =>
  DateTime.clamp(at, { minimum: earliest, maximum: latest })

/**
 * The instant of milliseconds since the epoch, of a date or of an ISO 8601 text; none for what is no instant of the years 1
 * to 9999.
 * @example InstantRange.readInstant(Number.NaN) // => Option.none()
 */
export const readInstant = (input: DateTime.DateTime.Input): Option.Option<DateTime.Utc> =>
  Option.filter(Option.map(DateTime.make(input), DateTime.toUtc), isInRange)

const refuse = (): never => {
  throw new RangeError("The instant lies outside of the years 1 to 9999.")
}

/** The instant that {@link readInstant} reads. Throws a `RangeError` where there is none. */
export const instantAt = (input: DateTime.DateTime.Input): DateTime.Utc => Option.getOrElse(readInstant(input), refuse)

/**
 * The instant `duration` after another. Throws a `RangeError` where it lies outside of the years 1 to 9999: a comparison
 * with an instant that is no number says no to everything, and so nothing may be compared before it is checked.
 * @example DateTime.formatIso(InstantRange.addTime(at, { days: 1 })) // => "2026-04-03T00:00:00.000Z"
 */
export const addTime = (at: DateTime.Utc, duration: Duration.Input): DateTime.Utc => {
  const sum = DateTime.addDuration(at, duration)
  return isInRange(sum) ? sum : refuse()
}

/** The instant `duration` before another. Throws a `RangeError` where it lies outside of the years 1 to 9999. */
export const subtractTime = (at: DateTime.Utc, duration: Duration.Input): DateTime.Utc => {
  const difference = DateTime.subtractDuration(at, duration)
  return isInRange(difference) ? difference : refuse()
}
