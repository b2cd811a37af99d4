import { Effect, Option } from "effect"
import type { Stripe } from "stripe"
import type { Integration } from "../../../domain/access/Integration.ts"
import type { Refund as OurRefund } from "../../../domain/giving/Refund.ts"
import { isChargeable } from "../../../domain/kernel/ChargeCurrency.ts"
import type { NextStep } from "../../../domain/payments/NextStep.ts"
import { absent } from "../../../domain/payments/Snapshot.ts"
import type { ChargeContext } from "../../../ports/payments/PaymentProcessors.ts"
import { refusalOf, unreachable } from "./Failures.ts"
import { type Intents, isAtOneAccount, paramsOf } from "./Intents.ts"
import type { Mandates } from "./Mandates.ts"
import * as Metadata from "./Metadata.ts"
import { Account, ConfirmationToken, Intent, Refund } from "./Objects.ts"
import { snapshotOf } from "./Snapshots.ts"
import type { StripeApi } from "./StripeApi.ts"

const isConfirmationToken = (payment_token: string): boolean => payment_token.startsWith("ctoken_")

/** The means of payment as the page handed it over: a confirmation token holds the donor's consent to a debit, too. */
const payingWith = (payment_token: string): Stripe.PaymentIntentConfirmParams =>
  isConfirmationToken(payment_token) ? { confirmation_token: payment_token } : { payment_method: payment_token }

const nextStepOf = (
  { charge }: ChargeContext,
  { client_secret, next_action, status }: Intent
): Option.Option<NextStep> => {
  if (status !== "requires_action") return Option.none()
  const url = next_action?.redirect_to_url?.url
  if (typeof url === "string") return Option.some({ _tag: "Redirect", url })
  if (charge.method === "payto") return Option.some({ _tag: "Approval" })
  return client_secret === null ? Option.none() : Option.some({ _tag: "Component", token: client_secret })
}

/** One account has the money, and the platform's fee stays: money, section 5. */
const takenBack = { reverse_transfer: true, refund_application_fee: false } satisfies Stripe.RefundCreateParams

/** The requests to Stripe about charges, with the keys of one account. */
export const makeCharges = (api: StripeApi, intents: Intents, mandates: Mandates) => {
  const begin = Effect.fnUntraced(function* (charging: ChargeContext) {
    const { charge } = charging
    if (!isChargeable(charge.currency)) return yield* refusalOf("currency_not_supported")
    const params = { ...paramsOf(charging), ...(yield* mandates.paramsOf(charging)) }
    const { id } = yield* api.call(Intent, ({ paymentIntents }) =>
      paymentIntents.create(params, { idempotencyKey: charge.id })
    )
    return { reference: id }
  })

  const confirm = (charging: ChargeContext, payment_token: string) =>
    intents.confirm(charging, { use_stripe_sdk: true, ...payingWith(payment_token) })

  const cancel = Effect.fnUntraced(function* (charging: ChargeContext) {
    const id = yield* intents.idOf(charging)
    if (id === null) return
    const asked = api.find(Intent, ({ paymentIntents }) => paymentIntents.cancel(id))
    // One that cannot be cancelled has succeeded, is on its way, or is cancelled: what is fetched next tells.
    yield* Effect.catchTag(asked, "ProcessorRefused", () => Effect.void)
  })

  const fetchCharge = Effect.fnUntraced(function* (charging: ChargeContext) {
    const intent = yield* intents.find(charging)
    if (intent === null) return absent(charging.charge)
    const hasMoney = intent.status === "succeeded"
    const isDisputed = typeof intent.latest_charge === "object" && intent.latest_charge?.disputed === true
    const snapshot = snapshotOf({
      intent,
      refunds: hasMoney ? yield* intents.refundsOf(intent.id) : [],
      disputes: isDisputed ? yield* intents.disputesOf(intent.id) : []
    })
    return Option.isSome(snapshot) ? snapshot.value : yield* unreachable("unknown_status")
  })

  const nextStep = Effect.fnUntraced(function* (charging: ChargeContext) {
    const intent = yield* intents.find(charging)
    return intent === null ? Option.none() : nextStepOf(charging, intent)
  })

  /**
   * Whether the money is at a connected account, which gives it back. An own account has all of it, and the platform that of a
   * shared payment; but sets that were paid before their parts could go on were paid to the organisation's account, as gifts are.
   */
  const isElsewhere = Effect.fnUntraced(function* (charging: ChargeContext) {
    if (charging.integration.is_own) return false
    if (charging.charge.purpose !== "payment") return true
    const intent = yield* intents.find(charging)
    return isAtOneAccount(intent)
  })

  /** A key is forgotten after a day, so that what was made under it is looked for first: refunds are few. */
  const refund = Effect.fnUntraced(function* (charging: ChargeContext, asked: OurRefund) {
    const payment_intent = yield* intents.requireId(charging)
    const known = (yield* intents.refundsOf(payment_intent)).find(
      ({ metadata }) => metadata?.almoner_refund_id === asked.id
    )
    if (known !== undefined) return { reference: known.id }
    const params = {
      payment_intent,
      amount: asked.amount_cents,
      metadata: Metadata.ofRefund(charging, asked),
      ...((yield* isElsewhere(charging)) ? takenBack : {})
    } satisfies Stripe.RefundCreateParams
    const { id } = yield* api.call(Refund, ({ refunds }) => refunds.create(params, { idempotencyKey: asked.id }))
    return { reference: id }
  })

  const fetchAccount = Effect.fnUntraced(function* ({ is_own, processor_connect_account_id: id }: Integration) {
    const found = yield* api.call(Account, ({ accounts }) =>
      is_own ? accounts.retrieveCurrent() : accounts.retrieve(id)
    )
    if (found.id !== id) return yield* refusalOf("account_differs")
    return { charges_enabled: found.charges_enabled, currency: found.default_currency.toUpperCase() }
  })

  /** A token that is used once, so that the card which is looked at is the one that is charged. */
  const walletOf = Effect.fnUntraced(function* (payment_token: string) {
    if (!isConfirmationToken(payment_token)) return Option.none()
    const found = yield* api.find(ConfirmationToken, ({ confirmationTokens }) =>
      confirmationTokens.retrieve(payment_token)
    )
    const { card, type } = found?.payment_method_preview ?? {}
    return found?.id === payment_token && type === "card" ? Option.fromNullishOr(card?.wallet?.type) : Option.none()
  })

  return { begin, confirm, cancel, fetchCharge, nextStep, refund, fetchAccount, walletOf } as const
}
