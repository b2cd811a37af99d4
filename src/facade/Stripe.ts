import { Redacted, Schema } from "effect"
import type { StripePlatform } from "../adapters/processors/stripe/StripeOptions.ts"
import { makeStripeProcessor } from "../adapters/processors/stripe/StripeProcessor.ts"
import { aText, checkOptions, type OptionRules } from "../app/kernel/host/InvalidOption.ts"
import type { StripeAccounts } from "./Options.ts"

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

const isKeys = (mode: "live" | "test") => ({
  holds: Schema.is(keysOf(mode)),
  expected: `the keys of your account in ${mode} mode, { secretKey: "sk_${mode}_…", publishableKey: "pk_${mode}_…", noticeSecrets: ["whsec_…"] }`
})

const rules: OptionRules<StripeKeys> = {
  live: isKeys("live"),
  test: isKeys("test"),
  baseUrl: aText("a URL", (text) => URL.canParse(text))
}

const platformOf = (keys: StripeAccountKeys | undefined): StripePlatform | undefined =>
  keys === undefined
    ? undefined
    : {
        secretKey: Redacted.make(keys.secretKey),
        publishableKey: keys.publishableKey,
        noticeSecrets: (keys.noticeSecrets ?? []).map((secret) => Redacted.make(secret))
      }

/**
 * Your platform accounts at Stripe, for the option `stripe` of `Almoner.open`. Throws {@link InvalidOption} for keys that cannot
 * be used.
 */
export const stripe = (keys: StripeKeys): StripeAccounts => {
  checkOptions("stripe", rules, keys, '{ live: { secretKey: "sk_live_…" } }')
  const { baseUrl, live, test } = keys
  return { processor: makeStripeProcessor({ live: platformOf(live), test: platformOf(test), baseUrl }) }
}
