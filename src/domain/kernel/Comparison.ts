import { DateTime } from "effect"

/** The operators of bracket filters, `field[operator]=value`. decisions, section 1: Lists. */
export const operators = ["eq", "in", "not_in", "gt", "gte", "lt", "lte"] as const
/** An operator of a filter. */
export type Operator = (typeof operators)[number]

/** A value that columns are compared with; an instant is milliseconds since the epoch. */
export type Scalar = string | number | boolean

/** One comparison of a column with values. */
export interface Comparison<Column extends string = string> {
  readonly column: Column
  readonly type: "text" | "integer" | "boolean" | "timestamp" | "date"
  readonly operator: Operator
  /** One value, or any number of them for `in` and `not_in`. */
  readonly values: ReadonlyArray<Scalar>
}

/**
 * A field's value in the form in which it is compared; null for a value that is not comparable.
 * @example
 * Comparison.scalarOf(DateTime.makeUnsafe("1970-01-01T00:00:01Z")) // => 1000
 * Comparison.scalarOf(["RED"]) // => null
 */
export const scalarOf = (value: unknown): Scalar | null => {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value
  return DateTime.isDateTime(value) ? DateTime.toEpochMillis(value) : null
}

const holds = (operator: Operator, value: Scalar, other: Scalar): boolean => {
  switch (operator) {
    case "gt":
      return value > other
    case "gte":
      return value >= other
    case "lt":
      return value < other
    case "lte":
      return value <= other
    default:
      return value === other
  }
}

/**
 * Whether a column's value passes a comparison: the meaning of filters and rules, for stores that hold records in memory. A
 * record without a value passes `not_in` and nothing else.
 * @example
 * const atMost: Comparison.Comparison = { column: "amount_cents", type: "integer", operator: "lte", values: [500] }
 * Comparison.passes(atMost, 500) // => true
 * Comparison.passes(atMost, null) // => false
 * Comparison.passes({ ...atMost, operator: "not_in" }, null) // => true
 */
export const passes = ({ operator, values }: Comparison, value: Scalar | null): boolean => {
  if (value === null) return operator === "not_in"
  if (operator === "in") return values.includes(value)
  if (operator === "not_in") return !values.includes(value)
  const other = values[0]
  return other !== undefined && holds(operator, value, other)
}
