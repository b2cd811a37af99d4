import { DateTime, Option, Result } from "effect"
import { CalendarDate, isCalendarDate } from "./CalendarDate.ts"
import { readInstant } from "./InstantRange.ts"
import { Limits } from "./Limits.ts"
import type { Condition, Dimension, FilterEcho, Operator, Scalar } from "./Listing.ts"
import { InvalidInput, MalformedInput } from "./Rejection.ts"
import * as Timestamp from "./Timestamp.ts"

/** The failures that refuse a query. */
export type FilterFailure = InvalidInput | MalformedInput

/**
 * A value of a query that breaks a rule.
 * @example Result.isFailure(FilterValues.invalid("limit", "limit must be from 1 to 100.")) // => true
 */
export const invalid = (param: string, message: string): Result.Result<never, InvalidInput> =>
  Result.fail(new InvalidInput({ param, message }))

/**
 * A part of a query that cannot be read.
 * @example Result.isFailure(FilterValues.malformedPart("limit must be an integer.")) // => true
 */
export const malformedPart = (message: string): Result.Result<never, MalformedInput> =>
  Result.fail(new MalformedInput({ message }))

/**
 * An integer in a query. Fails with `MalformedInput` for another text, and with `InvalidInput` where it is not held
 * exactly.
 * @example
 * FilterValues.integerOf("limit", "25") // => Result.succeed(25)
 * Result.isFailure(FilterValues.integerOf("limit", "2.5")) // => true
 */
export const integerOf = (param: string, text: string): Result.Result<number, FilterFailure> =>
  !/^-?\d+$/.test(text)
    ? malformedPart(`${param} must be an integer.`)
    : Number.isSafeInteger(Number(text))
      ? Result.succeed(Number(text))
      : invalid(param, `${param} must be from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}.`)

/**
 * `true` or `false` in a query. Fails with `MalformedInput` for anything else.
 * @example
 * FilterValues.booleanOf("archived", "true") // => Result.succeed(true)
 * Result.isFailure(FilterValues.booleanOf("archived", "1")) // => true
 */
export const booleanOf = (param: string, text: string): Result.Result<boolean, FilterFailure> =>
  text === "true" || text === "false"
    ? Result.succeed(text === "true")
    : malformedPart(`${param} must be true or false.`)

/** A bare date is midnight UTC. decisions, section 1: Lists. */
const instantOf = (param: string, text: string): Result.Result<number, FilterFailure> =>
  Option.match(isCalendarDate(text) ? readInstant(`${text}T00:00:00Z`) : Timestamp.parse(text), {
    // A bare + in a query is a space.
    onNone: () =>
      invalid(
        param,
        `${param} must be an RFC 3339 date-time or a date, YYYY-MM-DD.${/\d \d\d:\d\d$/.test(text) ? " Write + in it as %2B." : ""}`
      ),
    onSome: (instant) => Result.succeed(DateTime.toEpochMillis(instant))
  })

const scalarOf = (dimension: Dimension, param: string, text: string): Result.Result<Scalar, FilterFailure> => {
  switch (dimension.kind) {
    case "integer":
      return integerOf(param, text)
    case "boolean":
      return booleanOf(param, text)
    case "timestamp":
      return instantOf(param, text)
    case "day":
      return isCalendarDate(text) ? Result.succeed(CalendarDate.make(text)) : instantOf(param, text)
    case "enum":
      return dimension.values?.includes(text) === true
        ? Result.succeed(dimension.fold?.(text) ?? text)
        : invalid(param, `${param} must be one of ${dimension.values?.join(", ")}.`)
    case "text":
      return dimension.filled === true && text === ""
        ? malformedPart(`${param} must not be empty: leave it out to list everything.`)
        : Result.succeed(dimension.fold?.(text) ?? text)
  }
}

const types = { text: "text", enum: "text", integer: "integer", boolean: "boolean", timestamp: "timestamp" } as const

/**
 * The condition that a filter's values make. Days and instants are compared with different columns, so that one `in`
 * with both would need an `or` of two conditions: it is refused.
 */
const conditionOf = (
  field: string,
  dimension: Dimension,
  operator: Operator,
  values: ReadonlyArray<Scalar>
): Result.Result<Condition, FilterFailure> => {
  const column = dimension.column ?? field
  if (dimension.kind !== "day") {
    // Until `asOf` of Listing.ts sets the time of the reading, nothing has expired.
    const expires = dimension.expires === undefined ? {} : { expires: { ...dimension.expires, at: 0 } }
    return Result.succeed({ column, type: types[dimension.kind], operator, values, ...expires })
  }
  const days = values.filter((value) => typeof value === "string").length
  if (days === 0) return Result.succeed({ column, type: "timestamp", operator, values })
  return days === values.length
    ? Result.succeed({ column: dimension.dayColumn ?? column, type: "date", operator, values })
    : invalid(`${field}[${operator}]`, `${field}[${operator}] must be all dates or all date-times.`)
}

const takesMany = (operator: Operator): operator is "in" | "not_in" => operator === "in" || operator === "not_in"

/** The values of a comma-separated list; reading stops at the first one beyond the limit. */
const listed = (text: string): ReadonlyArray<string> => text.split(",", Limits.filterValues + 1)

/**
 * The values of a filter as they were sent.
 * @example FilterValues.echoOf("in", "CARD,CASH") // => { in: ["CARD", "CASH"] }
 */
export const echoOf = (operator: Operator, text: string): FilterEcho => ({
  [operator]: takesMany(operator) ? listed(text) : text
})

/** Reads values until one is malformed, and fails with that one; otherwise it fails with the first invalid value. */
const scalarsOf = (
  dimension: Dimension,
  param: string,
  texts: ReadonlyArray<string>
): Result.Result<ReadonlyArray<Scalar>, FilterFailure> => {
  const values: Array<Scalar> = []
  let first: FilterFailure | undefined
  for (const text of texts) {
    const read = scalarOf(dimension, param, text)
    if (Result.isSuccess(read)) values.push(read.success)
    else if (read.failure._tag === "MalformedInput") return Result.fail(read.failure)
    else first ??= read.failure
  }
  return first === undefined ? Result.succeed(values) : Result.fail(first)
}

/**
 * The condition that a filter asks for. `param` is the filter as it was sent, `field` or `field[operator]`. Fails with
 * `InvalidInput` for too many values, and for one that breaks a rule, and with `MalformedInput` for one that cannot be read.
 * @example
 * const dimension: Listing.Dimension = { kind: "integer", description: "Amount" }
 * const read = FilterValues.readFilter("amount_cents", dimension, "gte", "amount_cents[gte]", "500")
 * Result.getOrThrow(read).values // => [500]
 */
export const readFilter = (
  field: string,
  dimension: Dimension,
  operator: Operator,
  param: string,
  text: string
): Result.Result<Condition, FilterFailure> => {
  const texts = takesMany(operator) ? listed(text) : [text]
  if (texts.length > Limits.filterValues) {
    return invalid(param, `${param} must have at most ${Limits.filterValues} values.`)
  }
  return Result.flatMap(scalarsOf(dimension, param, texts), (values) => conditionOf(field, dimension, operator, values))
}
