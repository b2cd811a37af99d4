import { DateTime, Option, Schema, SchemaTransformation } from "effect"
import { isCalendarDate } from "./CalendarDate.ts"
import { instantAt, isInRange, readInstant } from "./InstantRange.ts"
import { noLongerThan } from "./Length.ts"
import { Limits } from "./Limits.ts"

const shape = /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/**
 * Reads an RFC 3339 date-time, to the millisecond (finer digits are cut off); none when it is not one, or when its offset
 * moves it out of the years 1 to 9999.
 * @example
 * Option.map(Timestamp.parse("2026-04-02T10:00:00.1239+10:00"), DateTime.formatIso)
 * // => Option.some("2026-04-02T00:00:00.123Z")
 * Timestamp.parse("2026-04-02") // => Option.none()
 */
export const parse = (text: string): Option.Option<DateTime.Utc> => {
  const day = shape.exec(text)?.[1]
  return day === undefined || !isCalendarDate(day) ? Option.none() : readInstant(text)
}

/** Characters of the longest date-time: nine digits of the second's fraction, and an offset. */
const longest = "YYYY-MM-DDThh:mm:ss.nnnnnnnnn+hh:mm".length

const expected = "an RFC 3339 date-time"

const onTheWire = Schema.String.annotate({ format: "date-time" })

const ofRange = Schema.makeFilter(isInRange, {
  expected: "an instant of the years 1 to 9999",
  // What is drawn leaves room for what is added to it.
  arbitraryConstraint: {
    order: DateTime.Order,
    minimum: instantAt("0100-01-01T00:00:00Z"),
    maximum: instantAt("9900-01-01T00:00:00Z")
  }
})

/**
 * An instant as records and events show it, of the years 1 to 9999: an RFC 3339 date-time in UTC. service-spec: ISO 8601
 * strings in UTC.
 */
export const Instant = Schema.DateTimeUtc.annotate({
  toCodecJson: () => Schema.link<DateTime.Utc>()(onTheWire, SchemaTransformation.dateTimeUtcFromString)
}).check(ofRange)

/** An instant as it is given in a body: an RFC 3339 date-time. service-spec: ISO 8601 strings in UTC. */
export const Timestamp = onTheWire
  .check(
    noLongerThan(longest, expected),
    Schema.makeFilter((text) => Option.isSome(parse(text)), { expected })
  )
  .pipe(
    Schema.decodeTo(
      Schema.DateTimeUtc.check(ofRange),
      SchemaTransformation.transform({ decode: instantAt, encode: DateTime.formatIso })
    )
  )

const expectedMoment = "an RFC 3339 date-time or a date, YYYY-MM-DD"

const momentOf = (text: string): Option.Option<DateTime.Utc> =>
  isCalendarDate(text) ? readInstant(`${text}T00:00:00Z`) : parse(text)

/** An instant, or a date for its midnight in UTC, as in the filters of lists. decisions, section 1: Lists. */
export const Moment = Schema.String.check(
  noLongerThan(Limits.identifierCharacters, expectedMoment),
  Schema.makeFilter((text) => Option.isSome(momentOf(text)), { expected: expectedMoment })
).pipe(
  Schema.decodeTo(
    Schema.DateTimeUtc.check(ofRange),
    SchemaTransformation.transform({ decode: (text) => Option.getOrThrow(momentOf(text)), encode: DateTime.formatIso })
  )
)
