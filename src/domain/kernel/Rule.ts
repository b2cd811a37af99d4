import { DateTime, Duration } from "effect"
import { type Comparison, passes, type Scalar, scalarOf } from "./Comparison.ts"

/** A comparison of a field with one or several values. */
export interface ValueCondition<Field extends string> extends Comparison<Field> {
  readonly _tag: "Compared"
}

/** Holds where a field has a value, or with `given: false` where it has none. */
export interface PresenceCondition<Field extends string> {
  readonly _tag: "Given"
  readonly column: Field
  readonly given: boolean
}

/**
 * Holds where a field's instant and `millis` after it have passed, or with `passed: false` still lie ahead. A field
 * without a value meets neither.
 */
export interface TimeCondition<Field extends string> {
  readonly _tag: "Passed"
  readonly column: Field
  readonly millis: number
  readonly passed: boolean
}

/** Holds where the instant of one field lies at least `millis` after that of another; not where one of them has no value. */
export interface SpanCondition<Field extends string> {
  readonly _tag: "Spans"
  readonly from: Field
  readonly to: Field
  readonly millis: number
}

/** All of some rules. */
export interface Every<R> {
  readonly _tag: "Every"
  readonly rules: ReadonlyArray<R>
}

/** At least one of some rules. */
export interface Some<R> {
  readonly _tag: "Some"
  readonly rules: ReadonlyArray<R>
}

/**
 * A rule over the fields of a record, as data. The decisions of the domain, the filters of memory stores and the
 * conditions of SQL are made from it. docs/decisions/0045.
 */
export type Rule<Field extends string = string> =
  | ValueCondition<Field>
  | PresenceCondition<Field>
  | SpanCondition<Field>
  | Every<Rule<Field>>
  | Some<Rule<Field>>

/** A rule that depends on the time, too. */
export type TimedRule<Field extends string = string> =
  | ValueCondition<Field>
  | PresenceCondition<Field>
  | SpanCondition<Field>
  | TimeCondition<Field>
  | Every<TimedRule<Field>>
  | Some<TimedRule<Field>>

/** The names of the fields whose values are of a type, or null. */
type FieldOf<A, Value> = {
  readonly [K in keyof A & string]: NonNullable<A[K]> extends Value ? K : never
}[keyof A & string]

const typeOf = (values: ReadonlyArray<Scalar>): Comparison["type"] => {
  const [value] = values
  return typeof value === "number" ? "integer" : typeof value === "boolean" ? "boolean" : "text"
}

const passedBy = <Field extends string>(
  column: Field,
  after: Duration.Input,
  passed: boolean
): TimeCondition<Field> => ({ _tag: "Passed", column, millis: Duration.toMillis(after), passed })

/**
 * The constructors of rules over a record's fields.
 * @example
 * const { has, every, isAtLeast } = Rule.rulesOf<Donation.Donation>()
 * Rule.holds(every(isAtLeast("amount_cents", 500), has("id")), { amount_cents: 499, id: "x" }) // => false
 */
export const rulesOf = <A extends object>() => ({
  /** The field has one of these values. */
  is: <Field extends FieldOf<A, Scalar>>(
    column: Field,
    ...values: ReadonlyArray<NonNullable<A[Field]> & Scalar>
  ): ValueCondition<Field> => ({ _tag: "Compared", column, type: typeOf(values), operator: "in", values }),
  isAtLeast: <Field extends FieldOf<A, number>>(column: Field, value: number): ValueCondition<Field> => ({
    _tag: "Compared",
    column,
    type: "integer",
    operator: "gte",
    values: [value]
  }),
  has: <Field extends keyof A & string>(column: Field): PresenceCondition<Field> => ({
    _tag: "Given",
    column,
    given: true
  }),
  lacks: <Field extends keyof A & string>(column: Field): PresenceCondition<Field> => ({
    _tag: "Given",
    column,
    given: false
  }),
  /** The instant, or a time after it, has come. */
  hasPassed: <Field extends FieldOf<A, DateTime.Utc>>(column: Field, after: Duration.Input = 0): TimeCondition<Field> =>
    passedBy(column, after, true),
  /** The instant, or a time after it, is still to come. */
  liesAhead: <Field extends FieldOf<A, DateTime.Utc>>(column: Field, after: Duration.Input = 0): TimeCondition<Field> =>
    passedBy(column, after, false),
  /** The instant of `to` lies at least so long after that of `from`. */
  spans: <From extends FieldOf<A, DateTime.Utc>, To extends FieldOf<A, DateTime.Utc>>(
    from: From,
    to: To,
    atLeast: Duration.Input
  ): SpanCondition<From | To> => ({ _tag: "Spans", from, to, millis: Duration.toMillis(atLeast) }),
  every: <Rules extends ReadonlyArray<TimedRule<keyof A & string>>>(...rules: Rules): Every<Rules[number]> => ({
    _tag: "Every",
    rules
  }),
  some: <Rules extends ReadonlyArray<TimedRule<keyof A & string>>>(...rules: Rules): Some<Rules[number]> => ({
    _tag: "Some",
    rules
  })
})

/**
 * The rule at an instant: every {@link TimeCondition} becomes a comparison.
 * @example
 * const rule = Rule.rulesOf<Donor.Donor>().hasPassed("created_at", "1 day")
 * const now = DateTime.makeUnsafe("1970-01-02T00:00:00Z")
 * Rule.at(rule, now) // => { _tag: "Compared", column: "created_at", type: "timestamp", operator: "lte", values: [0] }
 */
export const at = <Field extends string>(rule: TimedRule<Field>, now: DateTime.Utc): Rule<Field> => {
  switch (rule._tag) {
    case "Passed": {
      const { column, millis, passed } = rule
      const values = [DateTime.toEpochMillis(now) - millis]
      return { _tag: "Compared", column, type: "timestamp", operator: passed ? "lte" : "gt", values }
    }
    case "Every":
      return { _tag: "Every", rules: rule.rules.map((each) => at(each, now)) }
    case "Some":
      return { _tag: "Some", rules: rule.rules.map((each) => at(each, now)) }
    default:
      return rule
  }
}

/**
 * Whether a rule holds for the values that `read` returns.
 * @example
 * const rule = Rule.rulesOf<Donor.Donor>().lacks("archived_at")
 * Rule.meets(rule, () => null) // => true
 */
export const meets = <Field extends string>(rule: Rule<Field>, read: (column: Field) => unknown): boolean => {
  switch (rule._tag) {
    case "Compared":
      return passes(rule, scalarOf(read(rule.column)))
    case "Given":
      return (read(rule.column) !== null) === rule.given
    case "Spans": {
      const [from, to] = [scalarOf(read(rule.from)), scalarOf(read(rule.to))]
      return from !== null && to !== null && Number(to) - Number(from) >= rule.millis
    }
    case "Every":
      return rule.rules.every((each) => meets(each, read))
    case "Some":
      return rule.rules.some((each) => meets(each, read))
  }
}

/**
 * Whether a rule holds for a record.
 * @example Rule.holds(Rule.rulesOf<Donor.Donor>().lacks("archived_at"), { archived_at: at }) // => false
 */
export const holds = <Field extends string>(rule: Rule<Field>, record: { readonly [F in Field]: unknown }): boolean =>
  meets(rule, (column) => record[column])

/**
 * Whether a rule holds for a record at an instant.
 * @example
 * const isOld = Rule.rulesOf<Donor.Donor>().hasPassed("created_at", "1 day")
 * Rule.holdsAt(isOld, { created_at: at }, DateTime.add(at, { hours: 24 })) // => true
 */
export const holdsAt = <Field extends string>(
  rule: TimedRule<Field>,
  record: { readonly [F in Field]: unknown },
  now: DateTime.Utc
): boolean => holds(at(rule, now), record)

/** How a status follows from time: on every read, a record in one of `from` for which `when` holds counts as `to`. */
export interface Expiry<Status extends string = string, Field extends string = string> {
  /** The statuses that expire. */
  readonly from: ReadonlyArray<Status>
  readonly to: Status
  /** When a record of these statuses has expired. */
  readonly when: TimedRule<Field>
}

/**
 * The rule for records that have expired while their stored `status` does not say so yet.
 * @example
 * const when = Rule.rulesOf<Introduction.Introduction>().hasPassed("expires_at")
 * const rule = Rule.ranOut({ from: ["PENDING"], to: "EXPIRED", when })
 * Rule.holdsAt(rule, { status: "PENDING", expires_at: at }, at) // => true
 */
export const ranOut = <Field extends string>({ from, when }: Expiry<string, Field>): TimedRule<Field | "status"> => ({
  _tag: "Every",
  rules: [rulesOf<{ readonly status: string }>().is("status", ...from), when]
})
