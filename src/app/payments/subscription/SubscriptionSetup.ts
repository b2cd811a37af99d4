import { Effect, Option, Schema } from "effect"
import { dayOf } from "../../../domain/kernel/CalendarDate.ts"
import { type CampaignId, type DonationFormId, RevenueCodeId } from "../../../domain/kernel/Ids.ts"
import { birth, decide } from "../../../domain/kernel/Machine.ts"
import type { Frequency } from "../../../domain/kernel/Schedule.ts"
import * as Invoice from "../../../domain/payments/Invoice.ts"
import * as Mandate from "../../../domain/payments/Mandate.ts"
import * as Subscription from "../../../domain/payments/Subscription.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { InvoiceStore } from "../../../ports/payments/InvoiceStore.ts"
import { MandateStore } from "../../../ports/payments/MandateStore.ts"
import { SubscriptionStore } from "../../../ports/payments/SubscriptionStore.ts"
import { ChangeLog } from "../../access/change/Change.ts"
import { type GiftInput, makeGiftCreation } from "../charge/GiftCreation.ts"

/** A recurring gift whose first charge failed, with the invoice that is tried again. Both are locked. */
export interface RetryTarget {
  readonly subscription: Subscription.Subscription
  readonly invoice: Invoice.Invoice
}

/** A first gift, and how often it shall be repeated. */
interface SetUp {
  readonly given: GiftInput
  readonly frequency: Frequency
  readonly donation_form_id: DonationFormId
  readonly campaign_id: CampaignId | null
}

const readRevenueCode = Schema.decodeUnknownOption(RevenueCodeId)

/** Writes recurring gifts, in the surrounding transaction: the processor is not asked yet. money, section 7. */
export const makeSubscriptionSetup = Effect.gen(function* () {
  const invoices = yield* InvoiceStore
  const changeLog = yield* ChangeLog
  const mandates = yield* MandateStore
  const newGift = yield* makeGiftCreation
  const subscriptions = yield* SubscriptionStore
  const tokens = yield* Tokens

  const born = Effect.fnUntraced(function* ({ campaign_id, donation_form_id, frequency, given }: SetUp) {
    const { at, booked, donor, gift, operation, organisation, paying, taking } = given
    const id = yield* tokens.id("subscription")
    const mandate_id = yield* tokens.id("mandate")
    const anchor_day = dayOf(at, organisation.timezone)
    const { state } = birth(
      Subscription.machine,
      Subscription.births.setUp,
      (status): Subscription.Subscription => ({
        id,
        organisation_id: organisation.id,
        donor_id: donor.id,
        status,
        amount_cents: paying.amount_cents,
        currency: paying.currency,
        frequency,
        donation_form_id,
        campaign_id,
        integration_id: taking.integration.id,
        mandate_id,
        method: paying.method,
        revenue_code: booked.revenue_code,
        revenue_code_id: Option.getOrNull(readRevenueCode(booked.revenue_code_id)),
        consent_given: gift.consent_given,
        consent_responses: gift.consent_responses,
        anchor_day,
        next_charge_on: anchor_day,
        last_paid_invoice_id: null,
        last_charged_on: anchor_day,
        look_at: null,
        cancel_reason: null,
        donor_cancel_reason_code: null,
        donor_cancel_reason: null,
        cancelled_at: null,
        created_at: at,
        updated_at: at
      })
    )
    const due: Subscription.Command = { _tag: "MakeInvoice", at, due_on: anchor_day }
    const first = yield* Effect.orDie(Effect.fromResult(decide(Subscription.machine, state, due)))
    yield* subscriptions.insert(first.state)
    const events = [Subscription.createdEvent(state)]
    yield* changeLog.write({ operation, subject_id: id, at, events })
    return first.state
  })

  const firstGift = (given: GiftInput, { id, mandate_id }: Subscription.Subscription) =>
    newGift({ ...given, mandate_id, gift: { ...given.gift, subscription_id: id, is_recurring: true } })

  const attempted = (invoice: Invoice.Invoice, command: Invoice.Command) =>
    Effect.map(Effect.orDie(Effect.fromResult(decide(Invoice.machine, invoice, command))), ({ state }) => state)

  /** Writes a recurring gift with its first invoice, the gift that shall pay it, and the charge that saves the mandate. */
  const setUp = Effect.fnUntraced(function* (asked: SetUp) {
    const { at, organisation, paying, taking } = asked.given
    const subscription = yield* born(asked)
    const {
      amount_cents,
      anchor_day: due_on,
      currency,
      id: subscription_id,
      mandate_id,
      organisation_id
    } = subscription
    const { id: integration_id } = taking.integration
    const { method } = paying
    yield* mandates.insert(
      Mandate.newMandate({ id: mandate_id, organisation_id, subscription_id, integration_id, method }, at)
    )
    const charge = yield* firstGift(asked.given, subscription)
    const id = yield* tokens.id("invoice")
    const due = { id, organisation_id: organisation.id, subscription_id, due_on, amount_cents, currency }
    const command: Invoice.Command = { _tag: "Attempt", at, charge_id: charge.id }
    // The subscription is new, so its due day cannot be taken.
    yield* Effect.orDie(
      invoices.insert(yield* attempted(Invoice.newInvoice({ ...due, next_attempt_at: null }, at), command))
    )
    return charge
  })

  /** Writes another try of the first charge: a new gift and a new charge of the same recurring gift. */
  const tryAgain = Effect.fnUntraced(function* (given: GiftInput, { invoice, subscription }: RetryTarget) {
    const { at, paying } = given
    const { id, mandate_id, organisation_id } = subscription
    const charge = yield* firstGift(given, subscription)
    const mandate = yield* mandates.findForUpdate(organisation_id, mandate_id)
    if (Option.isSome(mandate)) yield* mandates.update({ ...mandate.value, method: paying.method, updated_at: at })
    yield* subscriptions.update({ ...subscription, method: paying.method, look_at: null, updated_at: at })
    // Its due day does not change, so it cannot be taken.
    yield* Effect.orDie(invoices.update(yield* attempted(invoice, { _tag: "Attempt", at, charge_id: charge.id })))
    yield* changeLog.write({ operation: given.operation, subject_id: id, at, events: [] })
    return charge
  })

  return { setUp, tryAgain } as const
})
