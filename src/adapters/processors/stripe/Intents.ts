import { type DateTime, Duration, Effect } from "effect"
import type { Stripe } from "stripe"
import { addTime, subtractTime } from "../../../domain/kernel/InstantRange.ts"
import { feeOf } from "../../../domain/payments/Fees.ts"
import type { ChargeContext, ProcessorFailure } from "../../../ports/payments/PaymentProcessors.ts"
import { isDecline, refusalOf, unreachable } from "./Failures.ts"
import * as Metadata from "./Metadata.ts"
import { Dispute, Intent, Refund } from "./Objects.ts"
import { allOf, firstOf } from "./Pages.ts"
import type { StripeApi } from "./StripeApi.ts"

/** How far Stripe's clock may be from ours, and how long after a charge was made its intent may be: it is tried for a quarter of an hour. */
const before = Duration.minutes(10)
const after = Duration.hours(1)

/** Seconds, as Stripe counts time. */
export const secondsOf = (at: DateTime.Utc): number => Math.floor(at.epochMilliseconds / 1_000)

/**
 * The platform takes the charge on behalf of the organisation's account. The money of a gift goes there, but for the
 * platform's fee; that of a shared payment stays with the platform until its parts go on from there, each by a transfer of
 * the charge's group. An own account takes its charges itself, and the platform has no part in them. money, section 3.
 */
const sharesOf = ({ charge, integration }: ChargeContext): Partial<Stripe.PaymentIntentCreateParams> => {
  if (integration.is_own) return {}
  const account = integration.processor_connect_account_id
  if (charge.purpose === "payment") return { on_behalf_of: account, transfer_group: charge.id }
  const application_fee_amount = feeOf(charge.amount_cents, charge.platform_rate)
  return {
    on_behalf_of: account,
    transfer_data: { destination: account },
    ...(application_fee_amount === 0 ? {} : { application_fee_amount })
  }
}

/** The parameters of a new intent. */
export const paramsOf = (charging: ChargeContext) => {
  const { charge } = charging
  return {
    amount: charge.amount_cents,
    currency: charge.currency.toLowerCase(),
    allowed_payment_method_types: [charge.method],
    capture_method: "automatic",
    ...sharesOf(charging),
    metadata: Metadata.ofCharge(charging)
  } satisfies Stripe.PaymentIntentCreateParams
}

/** Whether the money went on to one account with the charge, as that of gifts does. */
export const isAtOneAccount = (found: Pick<Intent, "transfer_data"> | null): boolean =>
  found?.transfer_data !== null && found?.transfer_data !== undefined

/** With the charge's own balance transaction, which has the fee. */
const expand = ["latest_charge.balance_transaction"]

export const makeIntents = (api: StripeApi) => {
  /** By its id in the metadata: the intent of a charge whose reference never came. An index of theirs may lag, a list does not. */
  const listed = ({ charge }: ChargeContext) => {
    const created = {
      gte: secondsOf(subtractTime(charge.created_at, before)),
      lte: secondsOf(addTime(charge.created_at, after))
    }
    const found = firstOf(
      api,
      Intent,
      ({ paymentIntents }, page) => paymentIntents.list({ created, ...page } satisfies Stripe.PaymentIntentListParams),
      ({ metadata }) => metadata.almoner_charge_id === charge.id
    )
    return Effect.map(found, (intent) => intent?.id ?? null)
  }

  const idOf = (charging: ChargeContext): Effect.Effect<string | null, ProcessorFailure> =>
    charging.charge.reference === null ? listed(charging) : Effect.succeed(charging.charge.reference)

  /** The id of an intent without which there is nothing to do. */
  const requireId = (charging: ChargeContext) =>
    Effect.flatMap(idOf(charging), (id) =>
      id === null ? Effect.fail(refusalOf("no_such_charge")) : Effect.succeed(id)
    )

  /** Has the money taken, once. A decline is no failure: from then on the intent tells of it. */
  const confirm = Effect.fnUntraced(function* (charging: ChargeContext, params: Stripe.PaymentIntentConfirmParams) {
    const id = yield* requireId(charging)
    const idempotencyKey = `${charging.charge.id}-confirm`
    yield* api.attempt(
      Intent,
      ({ paymentIntents }) => paymentIntents.confirm(id, params, { idempotencyKey }),
      isDecline
    )
  })

  /** The intent of a charge as it stands now; null where there is none. */
  const find = Effect.fnUntraced(function* (charging: ChargeContext) {
    const id = yield* idOf(charging)
    if (id === null) return null
    const found = yield* api.find(Intent, ({ paymentIntents }) =>
      paymentIntents.retrieve(id, { expand } satisfies Stripe.PaymentIntentRetrieveParams)
    )
    if (found !== null && found.metadata.almoner_charge_id !== charging.charge.id) return yield* unreachable("not_ours")
    return found
  })

  const refundsOf = (payment_intent: string) =>
    allOf(api, Refund, ({ refunds }, page) =>
      refunds.list({ payment_intent, ...page } satisfies Stripe.RefundListParams)
    )

  const disputesOf = (payment_intent: string) =>
    allOf(api, Dispute, ({ disputes }, page) =>
      disputes.list({ payment_intent, ...page } satisfies Stripe.DisputeListParams)
    )

  return { find, idOf, requireId, confirm, refundsOf, disputesOf } as const
}

export type Intents = ReturnType<typeof makeIntents>
