import { Effect, Option } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import type { PaymentProcessor } from "../../../ports/payments/PaymentProcessors.ts"
import { guarded } from "../Guarded.ts"
import { refused } from "./Failures.ts"
import { modeOf, type On } from "./Mode.ts"
import { makeNotices } from "./Notices.ts"
import { makeStatements } from "./Statements.ts"
import type { StripeOptions } from "./StripeOptions.ts"

/** Eight digits, the most that Stripe takes at once. */
const maximum_cents = 99_999_999

const methods = ["card", "au_becs_debit", "payto"] as const

/**
 * The Stripe adapter: the operator's platform account takes the charges, one for each mode, and organisations have connected
 * accounts of it. A sandbox is served by test mode alone, and a live organisation by live mode. money, section 3.
 *
 * @example
 * ```ts
 * const live = { secretKey: Redacted.make("sk_live_1") }
 * const processor = StripeProcessor.makeStripeProcessor({ live })
 * ```
 */
export const makeStripeProcessor = Effect.fnUntraced(function* (options: StripeOptions) {
  const organisations = yield* OrganisationStore
  const modes = { live: modeOf(options.live, options), test: modeOf(options.test, options) }

  const modeOfAccount = ({ organisation_id }: Integration) =>
    Effect.map(organisations.find(organisation_id), (organisation) =>
      Option.exists(organisation, ({ is_sandbox }) => is_sandbox) ? modes.test : modes.live
    )

  const on: On = (integration, ask) =>
    Effect.flatMap(modeOfAccount(integration), (mode) =>
      mode === undefined ? Effect.fail(refused("processor_not_configured")) : ask(mode)
    ).pipe(guarded("The Stripe adapter failed"))

  const processor: PaymentProcessor = {
    capabilities: { methods, refunds: true, confirms: true, statements: true, maximum_cents },
    begin: (charging) => on(charging.integration, ({ charges }) => charges.begin(charging)),
    confirm: (charging, payment_token) =>
      on(charging.integration, ({ charges }) => charges.confirm(charging, payment_token)),
    cancel: (charging) => on(charging.integration, ({ charges }) => charges.cancel(charging)),
    fetchCharge: (charging) => on(charging.integration, ({ charges }) => charges.fetchCharge(charging)),
    nextStep: (charging) => on(charging.integration, ({ charges }) => charges.nextStep(charging)),
    refund: (charging, asked) => on(charging.integration, ({ charges }) => charges.refund(charging, asked)),
    fetchAccount: (integration) => on(integration, ({ charges }) => charges.fetchAccount(integration)),
    pageKey: (integration) =>
      Effect.map(modeOfAccount(integration), (mode) => Option.fromNullishOr(mode?.platform.publishableKey)),
    ...makeNotices({ modes: [modes.live, modes.test], modeOfAccount, on }),
    ...makeStatements(on)
  }
  return processor
})
