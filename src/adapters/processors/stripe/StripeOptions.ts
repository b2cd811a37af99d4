import type { Redacted } from "effect"

/** The operator's account at Stripe in one mode. */
export interface StripePlatform {
  /**
   * `sk_…`, or a restricted key `rk_…` that may write payment intents, refunds, customers, payment methods and transfers, and
   * read what hangs on them.
   */
  readonly secretKey: Redacted.Redacted<string>
  /** `pk_…`, which donors' pages need; it is no secret. */
  readonly publishableKey?: string | undefined
  /** `whsec_…` of the endpoints that send notices: two while one is rotated. */
  readonly noticeSecrets?: ReadonlyArray<Redacted.Redacted<string>> | undefined
}

/** The settings of the Stripe adapter. */
export interface StripeOptions {
  /** Takes the gifts of live organisations; without it none of them can. */
  readonly live?: StripePlatform | undefined
  /** Takes the gifts of sandbox organisations that have an account at Stripe's test mode. */
  readonly test?: StripePlatform | undefined
  /** Where Stripe is: `https://api.stripe.com` unless a double of it is meant. */
  readonly baseUrl?: string | undefined
}
