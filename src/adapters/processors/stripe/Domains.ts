import { Effect, Schema } from "effect"
import type { Stripe } from "stripe"
import type { StripeApi } from "./StripeApi.ts"

const Wallet = Schema.Struct({
  status: Schema.String,
  status_details: Schema.optional(Schema.NullOr(Schema.Struct({ error_message: Schema.String })))
})

const Domain = Schema.Struct({
  id: Schema.String,
  enabled: Schema.Boolean,
  apple_pay: Wallet,
  google_pay: Wallet,
  link: Wallet
})
type Domain = typeof Domain.Type

const names = { apple_pay: "Apple Pay", google_pay: "Google Pay", link: "Link" } as const

const refusedOn = (domain: Domain) =>
  (["apple_pay", "google_pay", "link"] as const).flatMap((wallet) => {
    const { status, status_details } = domain[wallet]
    const reason = status_details?.error_message ?? "Stripe gives no reason."
    return status === "active" ? [] : [{ wallet: names[wallet], reason }]
  })

/**
 * Registers a host for wallets, for the account that takes the charges: the platform's, or an own one. Stripe has one object
 * for a host, however often it is asked for; what it found inactive it is asked to look at again.
 */
export const registerDomain = Effect.fnUntraced(function* (api: StripeApi, domain_name: string) {
  const params = { domain_name } satisfies Stripe.PaymentMethodDomainCreateParams
  const made = yield* api.call(Domain, ({ paymentMethodDomains }) => paymentMethodDomains.create(params))
  if (refusedOn(made).length === 0) return []
  return refusedOn(yield* api.call(Domain, ({ paymentMethodDomains }) => paymentMethodDomains.validate(made.id)))
})
