import { DateTime, Duration, Result, Schema } from "effect"
import { exactlyOne, type InForms, inForms } from "../kernel/Fields.ts"
import { addTime } from "../kernel/InstantRange.ts"
import { noLongerThan } from "../kernel/Length.ts"
import { Limits } from "../kernel/Limits.ts"
import { InvalidInput } from "../kernel/Rejection.ts"
import { Instant, Moment } from "../kernel/Timestamp.ts"

// The clock of a sandbox, which can be moved on. money, section 7: Sandbox clock.

const clockMeanings = {
  now: "The time of the organisation.",
  ahead_seconds: "How far that is ahead of the real time, whole seconds."
}

/** The clock of an organisation. That of a live one is the real time. */
export class OrganisationClock extends Schema.Opaque<OrganisationClock>()(
  Schema.Struct({
    now: Instant,
    ahead_seconds: Schema.Int
  }).annotate({ identifier: "OrganisationClock", meanings: clockMeanings })
) {}

/** A clock that was moved on. */
export class AdvancedClock extends Schema.Opaque<AdvancedClock>()(
  Schema.Struct({
    ...OrganisationClock.fields,
    until: Instant,
    /** Whether the clock has come to `until`. Where much fell due it has not yet: ask for `to` that time again. */
    reached: Schema.Boolean
  }).annotate({
    identifier: "AdvancedClock",
    meanings: {
      ...clockMeanings,
      until: "The time that was asked for.",
      reached: "Whether the clock has come to until. Where it has not, ask for that time again."
    }
  })
) {}

const shape = /^([1-9]\d{0,8})([smhdw])$/

const expected = "a whole number with a unit: s, m, h, d or w, such as 30d"

/** How far a clock is moved, as text: a whole number and its unit. */
export const Step = Schema.String.check(
  noLongerThan("999999999w".length, expected),
  Schema.makeFilter((text) => shape.test(text), { expected })
)

const advanceFields = Schema.Struct({
  duration: Schema.optionalKey(Schema.NullOr(Step)),
  to: Schema.optionalKey(Schema.NullOr(Moment))
}).annotate({
  identifier: "SandboxAdvance",
  meanings: {
    duration: `How far: ${expected}; at most ${Limits.sandboxAdvanceDays} days. Not together with to.`,
    to: "The organisation's time to which the clock is moved. One that has passed is refused."
  }
})

const forms = exactlyOne(["duration", "to"])

/**
 * How far a clock is asked to be moved: by a `duration`, or `to` an instant of the organisation's time. The second can be
 * asked for again until the clock is there.
 */
export const Advance = inForms(advanceFields, forms)
export type Advance = InForms<typeof advanceFields.Type, typeof forms>

const millisOfUnit: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000
}

const millisOf = (step: string): number => {
  const [, count = "0", unit = "s"] = shape.exec(step) ?? []
  return Number(count) * (millisOfUnit[unit] ?? 0)
}

const refuse = (param: "duration" | "to", message: string) => Result.fail(new InvalidInput({ param, message }))

/**
 * The instant to which a clock is to be moved. Fails with {@link InvalidInput} where it is asked for in two ways or none, and
 * where it lies too far ahead.
 * @example
 * SandboxClock.target({ duration: "2d" }, { now: at, ahead_seconds: 0 }) // => Result.succeed(DateTime.add(at, { days: 2 }))
 * Result.isFailure(SandboxClock.target({}, { now: at, ahead_seconds: 0 })) // => true
 * Result.isFailure(SandboxClock.target({ duration: "53w" }, { now: at, ahead_seconds: 0 })) // => true
 */
export const target = (
  { duration = null, to = null }: typeof advanceFields.Type,
  { ahead_seconds, now }: OrganisationClock
): Result.Result<DateTime.Utc, InvalidInput> => {
  if (duration === null && to === null) {
    return refuse("duration", `duration is missing: ${expected}. Or give to, an instant.`)
  }
  if (duration !== null && to !== null) {
    return refuse("to", "to cannot be given with duration: leave one of them out.")
  }
  const param = to === null ? "duration" : "to"
  // In numbers: a duration of any length has no instant at its end.
  const millis = to === null ? millisOf(duration ?? "") : Duration.toMillis(DateTime.distance(now, to))
  const days = Duration.toDays(millis)
  if (days > Limits.sandboxAdvanceDays) {
    return refuse(param, `${param} must be at most ${Limits.sandboxAdvanceDays} days ahead of the sandbox's clock.`)
  }
  return days + ahead_seconds / 86_400 > Limits.sandboxAheadDays
    ? refuse(param, `${param} must leave the clock at most ${Limits.sandboxAheadDays} days ahead of the real time.`)
    : Result.succeed(to ?? addTime(now, { milliseconds: millis }))
}
