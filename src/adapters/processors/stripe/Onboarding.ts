import { DateTime, Effect } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import type { NewOnboarding } from "../../../domain/access/Onboarding.ts"
import type { Country } from "../../../domain/kernel/Countries.ts"
import type { PaymentMethod } from "../../../domain/kernel/PaymentMethod.ts"
import type { Accountless } from "../../../ports/payments/ProcessorOnboarding.ts"
import * as Metadata from "./Metadata.ts"
import { Account, AccountLink } from "./Objects.ts"
import type { StripeApi } from "./StripeApi.ts"

const requested = { requested: true }

/** The capabilities of an account for each method. Transfers bring it its parts of shared payments, too. */
const capabilities: Readonly<Partial<Record<PaymentMethod, string>>> = {
  card: "card_payments",
  au_becs_debit: "au_becs_debit_payments",
  payto: "payto_payments"
}

const capabilitiesOf = ({ methods }: Accountless) => ({
  transfers: requested,
  ...Object.fromEntries(
    methods.flatMap((method) => {
      const name = capabilities[method]
      return name === undefined ? [] : [[name, requested]]
    })
  )
})

/**
 * Opens a connected account: Stripe asks its organisation for what it must know and shows it its payouts, and the platform
 * pays Stripe's fees and bears what an account cannot pay back, as destination charges and transfers have it anyway. Stripe
 * takes the platform's country where none is said, and an account never changes it.
 */
export const openAccount = (api: StripeApi, integration: Accountless, country: Country | null) => {
  const params = {
    ...(country === null ? {} : { country }),
    controller: {
      fees: { payer: "application" as const },
      losses: { payments: "application" as const },
      stripe_dashboard: { type: "express" as const }
    },
    default_currency: integration.settlement_currency.toLowerCase(),
    capabilities: capabilitiesOf(integration),
    metadata: Metadata.ofIntegration(integration)
  }
  return Effect.map(
    api.call(Account, ({ accounts }) => accounts.create(params, { idempotencyKey: integration.id })),
    ({ id }) => ({ account_id: id })
  )
}

/** A link to Stripe's own form for an account. */
export const onboard = (
  api: StripeApi,
  { processor_connect_account_id: account }: Integration,
  { refresh_url, return_url }: NewOnboarding
) =>
  Effect.map(
    api.call(AccountLink, ({ accountLinks }) =>
      accountLinks.create({ account, refresh_url, return_url, type: "account_onboarding" })
    ),
    ({ expires_at, url }) => ({ url, expires_at: DateTime.makeUnsafe(expires_at * 1_000) })
  )
