import { Effect, Option, Record, Redacted, Schema } from "effect"
import type { Stripe } from "stripe"
import { type Integration, overlapRule } from "../../../domain/access/Integration.ts"
import type { NewOnboarding } from "../../../domain/access/Onboarding.ts"
import { type Credentials, CredentialsText, NoticeSecretsText } from "../../../domain/access/OwnCredentials.ts"
import type { Country } from "../../../domain/kernel/Countries.ts"
import { instantAt } from "../../../domain/kernel/InstantRange.ts"
import type { PaymentMethod } from "../../../domain/kernel/PaymentMethod.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { SecretBox } from "../../../ports/kernel/SecretBox.ts"
import {
  type PaymentProcessor,
  type ProcessorFailure,
  ProcessorRefused,
  processorNotConfigured
} from "../../../ports/payments/PaymentProcessors.ts"
import type { Accountless } from "../../../ports/payments/ProcessorOnboarding.ts"
import type { TransferContext } from "../../../ports/payments/ProcessorTransfers.ts"
import { guardDefects } from "../DefectGuard.ts"
import { registerDomain } from "./Domains.ts"
import { refusalOf, unreachable } from "./Failures.ts"
import { checkKeys, isSecretOf } from "./Keys.ts"
import * as Metadata from "./Metadata.ts"
import { type Mode, modeOf, type On } from "./Mode.ts"
import { makeNotices } from "./Notices.ts"
import { Account, AccountLink } from "./Objects.ts"
import { makeStatements } from "./Statements.ts"
import { makeStripeApi, type StripeApi } from "./StripeApi.ts"
import type { StripeOptions, StripePlatform } from "./StripeOptions.ts"

const requested = { requested: true }

/** The capabilities of an account for each method. Transfers bring it its parts of shared payments, too. */
const capabilities: Readonly<Partial<Record<PaymentMethod, keyof Stripe.AccountCreateParams.Capabilities>>> = {
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
const openAccount = (api: StripeApi, integration: Accountless, country: Country | null) => {
  const params = {
    ...(country === null ? {} : { country }),
    controller: {
      fees: { payer: "application" },
      losses: { payments: "application" },
      stripe_dashboard: { type: "express" }
    },
    default_currency: integration.settlement_currency.toLowerCase(),
    capabilities: capabilitiesOf(integration),
    metadata: Metadata.ofIntegration(integration)
  } satisfies Stripe.AccountCreateParams
  return Effect.map(
    api.call(Account, ({ accounts }) => accounts.create(params, { idempotencyKey: integration.id })),
    ({ id }) => ({ account_id: id })
  )
}

/** A link to Stripe's own form for an account. */
const onboard = (
  api: StripeApi,
  { processor_connect_account_id: account }: Integration,
  { refresh_url, return_url }: NewOnboarding
) =>
  Effect.map(
    api.call(AccountLink, ({ accountLinks }) =>
      accountLinks.create({
        account,
        refresh_url,
        return_url,
        type: "account_onboarding"
      } satisfies Stripe.AccountLinkCreateParams)
    ),
    ({ expires_at, url }) => ({ url, expires_at: instantAt(expires_at * 1_000) })
  )

/** Own accounts whose keys are kept opened in this process. */
const keptAtMost = 1_000

const readCredentials = Schema.decodeUnknownOption(CredentialsText)
const readSecrets = Schema.decodeUnknownOption(NoticeSecretsText)

/** Credentials as the adapter uses them. */
const platformOf = ({ notice_secrets, publishable_key, secret_key }: Credentials): StripePlatform => ({
  secretKey: Redacted.make(secret_key),
  publishableKey: publishable_key,
  noticeSecrets: notice_secrets.map((secret) => Redacted.make(secret))
})

/** Opens the credentials of integrations that are accounts of their own. */
const makeOwnAccounts = Effect.fnUntraced(function* (options: Pick<StripeOptions, "baseUrl">) {
  const box = yield* SecretBox
  const opened = new Map<string, { readonly sealed: string; readonly mode: Mode }>()

  const keep = ({ id }: Accountless, sealed: string, mode: Mode) => {
    opened.delete(id)
    const [oldest] = opened.keys()
    if (opened.size >= keptAtMost && oldest !== undefined) opened.delete(oldest)
    opened.set(id, { sealed, mode })
    return mode
  }

  const open = (sealed: string, { id }: Accountless) => Effect.option(box.open(sealed, id))

  /** An account with its own keys. None where they are missing, cannot be opened, or are those of the other mode. */
  const modeOfOwn = Effect.fnUntraced(function* (integration: Accountless, is_sandbox: boolean) {
    const { id, sealed_credentials: sealed } = integration
    if (sealed === null) return undefined
    const known = opened.get(id)
    // Credentials that were rotated or sealed anew are opened again.
    if (known?.sealed === sealed) return known.mode
    const found = Option.flatMap(yield* open(sealed, integration), readCredentials)
    if (Option.isNone(found) || !isSecretOf(found.value.secret_key, is_sandbox)) return undefined
    const mode = modeOf(platformOf(found.value), options)
    return mode === undefined ? undefined : keep(integration, sealed, mode)
  })

  /** The notice secrets before the last rotation, as long as they are valid. */
  const formerSecretsOf = Effect.fnUntraced(function* (integration: Integration) {
    const { previous_sealed_notice_secrets: sealed } = integration
    if (sealed === null || !Rule.holdsAt(overlapRule, integration, yield* organisationNow)) return []
    const found = Option.flatMap(yield* open(sealed, integration), readSecrets)
    return Option.getOrElse(found, () => []).map((secret) => Redacted.make(secret))
  })

  return { modeOfOwn, formerSecretsOf } as const
})

/** Eight digits, the most that Stripe takes at once by any method. What it lets a new account debit is its account's own limit. */
const maximum_cents = 99_999_999

/** The least that it takes by any, https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts, read on 2026-11-27. */
const minimum_cents = {
  ...{ AED: 2_00, AUD: 50, BGN: 1_00, BRL: 50, CAD: 50, CHF: 50, CZK: 15_00, DKK: 2_50, EUR: 50, GBP: 30, HKD: 4_00 },
  ...{ HUF: 175_00, INR: 50, JPY: 50, MXN: 10_00, MYR: 2_00, NOK: 3_00, NZD: 50, PLN: 2_00, RON: 2_00, SEK: 3_00 },
  ...{ SGD: 50, THB: 10_00, USD: 50 }
}

const methods = ["card", "au_becs_debit", "payto"] as const

const bounds = Record.fromIterableWith(methods, (method) => [method, { maximum_cents, minimum_cents }])

/**
 * The Stripe adapter: the operator's platform account takes the charges, one for each mode, and organisations have connected
 * accounts of it, or own accounts with keys of their own. A sandbox is served by test mode alone, and a live organisation by
 * live mode. money, section 3.
 */
export const makeStripeProcessor = Effect.fnUntraced(function* (options: StripeOptions) {
  const organisations = yield* OrganisationStore
  const modes = { live: modeOf(options.live, options), test: modeOf(options.test, options) }

  const own = yield* makeOwnAccounts(options)

  const isSandbox = ({ organisation_id }: Accountless) =>
    Effect.map(
      organisations.find(organisation_id),
      Option.exists(({ is_sandbox }) => is_sandbox)
    )

  /** The keys that an account is served with. An own account has its own or none: never the platform's. */
  const modeOfAccount = Effect.fnUntraced(function* (integration: Accountless) {
    const is_sandbox = yield* isSandbox(integration)
    if (integration.is_own) return yield* own.modeOfOwn(integration, is_sandbox)
    return is_sandbox ? modes.test : modes.live
  })

  const noticeSecretsOf = Effect.fnUntraced(function* (integration: Integration) {
    const secrets = (yield* modeOfAccount(integration))?.platform.noticeSecrets ?? []
    return integration.is_own ? [...secrets, ...(yield* own.formerSecretsOf(integration))] : secrets
  })

  /** The failure of an account whose keys cannot be opened now: they may be again, and nobody knows what was taken. */
  const keyless = ({ is_own }: Accountless, is_sandbox: boolean) =>
    is_own
      ? unreachable("credentials_not_opened")
      : new ProcessorRefused({
          code: processorNotConfigured,
          message: `There is no key of Stripe's ${is_sandbox ? "test" : "live"} mode here, so that nothing was asked of Stripe. Set ${is_sandbox ? "STRIPE_TEST_SECRET_KEY" : "STRIPE_SECRET_KEY"}, or give the adapter the key.`
        })

  const on: On = (integration, ask) =>
    Effect.flatMap(modeOfAccount(integration), (mode) =>
      mode === undefined
        ? Effect.flatMap(isSandbox(integration), (is_sandbox) =>
            Effect.fail<ProcessorFailure>(keyless(integration, is_sandbox))
          )
        : ask(mode)
    ).pipe(guardDefects("The Stripe adapter failed"))

  /** Money goes on between accounts of one platform alone. */
  const sharing = <A>(
    { destination, integration }: Pick<TransferContext, "destination" | "integration">,
    ask: (mode: Mode) => Effect.Effect<A, ProcessorFailure>
  ) => (integration.is_own || destination.is_own ? Effect.fail(refusalOf("account_unknown")) : on(integration, ask))

  const processor: PaymentProcessor = {
    capabilities: { methods, refunds: true, confirms: true, statements: true, bounds },
    begin: (charging) => on(charging.integration, ({ charges }) => charges.begin(charging)),
    confirm: (charging, payment_token) =>
      on(charging.integration, ({ charges }) => charges.confirm(charging, payment_token)),
    cancel: (charging) => on(charging.integration, ({ charges }) => charges.cancel(charging)),
    fetchCharge: (charging) => on(charging.integration, ({ charges }) => charges.fetchCharge(charging)),
    nextStep: (charging) => on(charging.integration, ({ charges }) => charges.nextStep(charging)),
    refund: (charging, asked) => on(charging.integration, ({ charges }) => charges.refund(charging, asked)),
    chargeMandate: (charging, mandate) =>
      on(charging.integration, ({ mandates }) => mandates.chargeMandate(charging, mandate)),
    fetchMandate: (integration, mandate) => on(integration, ({ mandates }) => mandates.fetchMandate(mandate)),
    revokeMandate: (integration, mandate) => on(integration, ({ mandates }) => mandates.revokeMandate(mandate)),
    transfers: {
      transfer: (transferring) => sharing(transferring, ({ transfers }) => transfers.transfer(transferring)),
      fetchTransfer: (transferring) => sharing(transferring, ({ transfers }) => transfers.fetchTransfer(transferring)),
      reverse: (reversing) => sharing(reversing, ({ transfers }) => transfers.reverse(reversing)),
      fetchReversal: (reversing) => sharing(reversing, ({ transfers }) => transfers.fetchReversal(reversing))
    },
    onboarding: {
      openAccount: (integration, country) => on(integration, ({ api }) => openAccount(api, integration, country)),
      onboard: (integration, addresses) => on(integration, ({ api }) => onboard(api, integration, addresses))
    },
    fetchAccount: (integration) => on(integration, ({ charges }) => charges.fetchAccount(integration)),
    checkCredentials: Effect.fnUntraced(function* (integration, credentials) {
      const api = makeStripeApi(platformOf(credentials), options)
      return yield* checkKeys(api, integration, credentials, yield* isSandbox(integration))
    }),
    walletOf: (integration, payment_token) => on(integration, ({ charges }) => charges.walletOf(payment_token)),
    registerDomain: (integration, domain) => on(integration, ({ api }) => registerDomain(api, domain)),
    pageKey: (integration) =>
      Effect.map(modeOfAccount(integration), (mode) => Option.fromNullishOr(mode?.platform.publishableKey)),
    ...makeNotices({ modes: [modes.live, modes.test], noticeSecretsOf, on }),
    ...makeStatements(on)
  }
  return processor
})
