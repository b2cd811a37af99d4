import { Redacted, Schema } from "effect"
import type { StripeOptions, StripePlatform } from "../adapters/processors/stripe/StripeOptions.ts"

/** The keys of a platform account at Stripe in one mode. */
export interface StripeAccountKeys {
  /** `sk_…` or a restricted `rk_…`. */
  readonly secretKey: string
  /** `pk_…`, which donors' pages need. */
  readonly publishableKey?: string | undefined
  /** `whsec_…` of the endpoints at which Stripe sends its notices; two while one is rotated. */
  readonly noticeSecrets?: ReadonlyArray<string> | undefined
}

/** Your platform accounts at Stripe. */
export interface StripeKeys {
  /** Takes the gifts of live organisations. */
  readonly live?: StripeAccountKeys | undefined
  /** Takes the gifts of sandboxes that have an account at Stripe's test mode. */
  readonly test?: StripeAccountKeys | undefined
  /** Where Stripe is reached, when it is a double of it that is meant. */
  readonly baseUrl?: string | undefined
}

const keysOf = (mode: "live" | "test") =>
  Schema.Struct({
    secretKey: Schema.String.check(Schema.isPattern(new RegExp(`^(?:sk|rk)_${mode}_`, "u"))),
    publishableKey: Schema.optional(Schema.String.check(Schema.isPattern(new RegExp(`^pk_${mode}_`, "u")))),
    noticeSecrets: Schema.optional(Schema.Array(Schema.String.check(Schema.isPattern(/^whsec_/u))))
  })

/** Whether these are keys, each of its own mode. */
export const areStripeKeys = Schema.is(
  Schema.Struct({
    live: Schema.optional(keysOf("live")),
    test: Schema.optional(keysOf("test")),
    baseUrl: Schema.optional(Schema.String.check(Schema.makeFilter((text) => URL.canParse(text))))
  })
)

const platformOf = (keys: StripeAccountKeys | undefined): StripePlatform | undefined =>
  keys === undefined
    ? undefined
    : {
        secretKey: Redacted.make(keys.secretKey),
        publishableKey: keys.publishableKey,
        noticeSecrets: (keys.noticeSecrets ?? []).map((secret) => Redacted.make(secret))
      }

/** The same as the adapter takes them. */
export const stripeOptionsOf = ({ baseUrl, live, test }: StripeKeys = {}): StripeOptions => ({
  live: platformOf(live),
  test: platformOf(test),
  baseUrl
})
