import { Schema } from "effect"
import { currencies } from "./Currencies.ts"
import { noLongerThan } from "./Length.ts"
import { Limits } from "./Limits.ts"

/**
 * A schema, by a call that bundlers may leave out where nobody uses it: a page that only reckons with amounts carries no schemas.
 * They cannot know that of one that reads a property.
 */
const made = <S>(make: () => S): S => make()

/** An amount that a donor gives, minor units of its currency: 1 to 1,000,000,000. service-spec, Limits: Donation amount. */
export const DonationCents = /* @__PURE__ */ made(() =>
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Limits.donationMaximumCents }))
)

/** An amount in minor units of a stated currency, never negative. */
export const Cents = /* @__PURE__ */ made(() => Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))

/**
 * Whether a number is an amount in minor units: whole, not negative, and held exactly.
 * @example Money.isCents(-5) // => false
 */
export const isCents = (cents: number): boolean => Number.isSafeInteger(cents) && cents >= 0

/**
 * An amount of a pure function, minor units. Throws a `RangeError` with a sentence for a number that is none: amounts are
 * added and compared, and one of -5 would make money. docs/decisions/0048.
 * @example
 * Money.centsOf("amount_cents", 500) // => 500
 * Money.centsOf("amount_cents", -5) // => throws RangeError
 */
export function centsOf(name: string): (cents: number) => number
export function centsOf(name: string, cents: number): number
export function centsOf(name: string, ...given: ReadonlyArray<number>): number | ((cents: number) => number) {
  const [cents] = given
  if (given.length === 0) return (each) => centsOf(name, each)
  if (cents !== undefined && isCents(cents)) return cents
  throw new RangeError(
    `${name} must be a whole number of minor units from 0 to ${Number.MAX_SAFE_INTEGER}, not ${cents}.`
  )
}

/** An alphabetic code of ISO 4217 as records keep it, codes that were withdrawn since included. */
export const Currency = /* @__PURE__ */ made(() =>
  Schema.String.check(
    noLongerThan("AUD".length, "an ISO 4217 code"),
    Schema.isPattern(/^[A-Z]{3}$/u, { expected: "an ISO 4217 code", description: "an ISO 4217 code" })
  )
)

/** The currency of an input: one that ISO 4217 has now. */
export const CurrencyInUse = /* @__PURE__ */ made(() =>
  Schema.String.check(
    noLongerThan("AUD".length, "an ISO 4217 code"),
    Schema.isPattern(new RegExp(`^(?:${currencies.join("|")})$`, "u"), {
      description: "a currency of ISO 4217, e.g. AUD"
    })
  )
)
