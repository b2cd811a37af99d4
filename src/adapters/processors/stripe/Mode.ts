import type { Effect } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import type { ProcessorFailure } from "../../../ports/payments/PaymentProcessors.ts"
import { makeCharges } from "./Charges.ts"
import { makeStripeApi, type StripeApi } from "./StripeApi.ts"
import type { StripeOptions, StripePlatform } from "./StripeOptions.ts"

/** One mode of Stripe, with the platform account that the operator has there. */
export interface Mode {
  readonly api: StripeApi
  readonly charges: ReturnType<typeof makeCharges>
  readonly platform: StripePlatform
}

/** Asks the mode that an account of ours belongs to. */
export type On = <A>(
  integration: Integration,
  ask: (mode: Mode) => Effect.Effect<A, ProcessorFailure>
) => Effect.Effect<A, ProcessorFailure>

/** The modes that the operator has accounts in. */
export interface Modes {
  readonly modes: ReadonlyArray<Mode | undefined>
  /** The mode of an account of ours; none where the operator has no account in it. */
  readonly modeOfAccount: (integration: Integration) => Effect.Effect<Mode | undefined>
  readonly on: On
}

/** The mode of a platform account; none where the operator has none. */
export const modeOf = (
  platform: StripePlatform | undefined,
  options: Pick<StripeOptions, "baseUrl">
): Mode | undefined => {
  if (platform === undefined) return undefined
  const api = makeStripeApi(platform, options)
  return { api, charges: makeCharges(api), platform }
}
