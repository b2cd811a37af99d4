import { Effect, Option } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import type { PaymentProcessor, ProcessorFailure } from "../../../ports/payments/PaymentProcessors.ts"
import type { Accountless } from "../../../ports/payments/ProcessorOnboarding.ts"
import type { TransferContext } from "../../../ports/payments/ProcessorTransfers.ts"
import { guardDefects } from "../DefectGuard.ts"
import { refusalOf, unreachable } from "./Failures.ts"
import { checkKeys } from "./Keys.ts"
import { type Mode, modeOf, type On } from "./Mode.ts"
import { makeNotices } from "./Notices.ts"
import { onboard, openAccount } from "./Onboarding.ts"
import { makeOwnAccounts, platformOf } from "./OwnAccounts.ts"
import { makeStatements } from "./Statements.ts"
import { makeStripeApi } from "./StripeApi.ts"
import type { StripeOptions } from "./StripeOptions.ts"

/** Eight digits, the most that Stripe takes at once. */
const maximum_cents = 99_999_999

const methods = ["card", "au_becs_debit", "payto"] as const

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
  const keyless = ({ is_own }: Accountless) =>
    is_own ? unreachable("credentials_not_opened") : refusalOf("processor_not_configured")

  const on: On = (integration, ask) =>
    Effect.flatMap(modeOfAccount(integration), (mode) =>
      mode === undefined ? Effect.fail<ProcessorFailure>(keyless(integration)) : ask(mode)
    ).pipe(guardDefects("The Stripe adapter failed"))

  /** Money goes on between accounts of one platform alone. */
  const sharing = <A>(
    { destination, integration }: Pick<TransferContext, "destination" | "integration">,
    ask: (mode: Mode) => Effect.Effect<A, ProcessorFailure>
  ) => (integration.is_own || destination.is_own ? Effect.fail(refusalOf("account_unknown")) : on(integration, ask))

  const processor: PaymentProcessor = {
    capabilities: { methods, refunds: true, confirms: true, statements: true, maximum_cents },
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
    pageKey: (integration) =>
      Effect.map(modeOfAccount(integration), (mode) => Option.fromNullishOr(mode?.platform.publishableKey)),
    ...makeNotices({ modes: [modes.live, modes.test], noticeSecretsOf, on }),
    ...makeStatements(on)
  }
  return processor
})
