import type { Effect, Redacted } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import type { ProcessorFailure } from "../../../ports/payments/PaymentProcessors.ts"
import type { Accountless } from "../../../ports/payments/ProcessorOnboarding.ts"
import type { ProcessorTransfers } from "../../../ports/payments/ProcessorTransfers.ts"
import { makeCharges } from "./Charges.ts"
import { makeIntents } from "./Intents.ts"
import { type Mandates, makeMandates } from "./Mandates.ts"
import { makeStripeApi, type StripeApi } from "./StripeApi.ts"
import type { StripeOptions, StripePlatform } from "./StripeOptions.ts"
import { makeTransfers } from "./Transfers.ts"

/** One account at Stripe with its keys: the operator's platform account in a mode, or an organisation's own. */
export interface Mode {
  readonly api: StripeApi
  readonly charges: ReturnType<typeof makeCharges>
  readonly mandates: Mandates
  readonly transfers: ProcessorTransfers
  readonly platform: StripePlatform
}

/** Asks Stripe with the keys that an account of ours is served with. */
export type On = <A>(
  integration: Accountless,
  ask: (mode: Mode) => Effect.Effect<A, ProcessorFailure>
) => Effect.Effect<A, ProcessorFailure>

export interface Modes {
  /** The platform accounts of the operator. */
  readonly modes: ReadonlyArray<Mode | undefined>
  /** The secrets that sign the notices of an account of ours: its own where it has keys of its own. */
  readonly noticeSecretsOf: (integration: Integration) => Effect.Effect<ReadonlyArray<Redacted.Redacted<string>>>
  readonly on: On
}

/** The mode that asks Stripe with these keys; none where there are none. */
export const modeOf = (
  platform: StripePlatform | undefined,
  options: Pick<StripeOptions, "baseUrl">
): Mode | undefined => {
  if (platform === undefined) return undefined
  const api = makeStripeApi(platform, options)
  const intents = makeIntents(api)
  const mandates = makeMandates(api, intents)
  return {
    api,
    charges: makeCharges(api, intents, mandates),
    mandates,
    transfers: makeTransfers(api, intents),
    platform
  }
}
