import { DateTime, Effect, Option } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { dayOf } from "../../../domain/kernel/CalendarDate.ts"
import type { CampaignId, DonationFormId, OrganisationId, SubscriptionId } from "../../../domain/kernel/Ids.ts"
import { addTime } from "../../../domain/kernel/InstantRange.ts"
import { birth, decide } from "../../../domain/kernel/Machine.ts"
import { holds } from "../../../domain/kernel/Rule.ts"
import { dueAt, type Frequency } from "../../../domain/kernel/Schedule.ts"
import type { Charge } from "../../../domain/payments/Charge.ts"
import * as Invoice from "../../../domain/payments/Invoice.ts"
import * as Mandate from "../../../domain/payments/Mandate.ts"
import { attemptOf, dueDaysOf, lapsesAt, nextPollAt } from "../../../domain/payments/Renewal.ts"
import * as Subscription from "../../../domain/payments/Subscription.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { InvoiceStore } from "../../../ports/payments/InvoiceStore.ts"
import { MandateStore } from "../../../ports/payments/MandateStore.ts"
import { SubscriptionStore } from "../../../ports/payments/SubscriptionStore.ts"
import { ChangeLog } from "../../access/change/Change.ts"
import type { PaymentAccount } from "../account/PaymentAccounts.ts"
import { bookedUnder, type GiftInput, makeChargeCreation, makeGiftCreation } from "../charge/ChargeCreation.ts"
import { makeExceptionReporter } from "../exception/ExceptionReporter.ts"
import { endingFor, makeSubscriptionChange } from "./SubscriptionOutcome.ts"

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

/** The fields of a first gift that each renewal repeats. */
const repeatedOf = ({ booked, donor, gift, paying }: GiftInput, campaign_id: CampaignId | null) => ({
  donor_id: donor.id,
  campaign_id,
  method: paying.method,
  revenue_code: booked.revenue_code,
  revenue_code_id: bookedUnder(booked.revenue_code_id),
  consent_given: gift.consent_given,
  consent_responses: gift.consent_responses,
  language: gift.language
})

/** Writes recurring gifts, in the surrounding transaction: the processor is not asked yet. money, section 7. */
export const makeSubscriptionSetup = Effect.gen(function* () {
  const invoices = yield* InvoiceStore
  const changeLog = yield* ChangeLog
  const mandates = yield* MandateStore
  const newGift = yield* makeGiftCreation
  const subscriptions = yield* SubscriptionStore
  const tokens = yield* Tokens

  const born = Effect.fnUntraced(function* ({ campaign_id, donation_form_id, frequency, given }: SetUp) {
    const { at, operation, organisation, paying, taking } = given
    const id = yield* tokens.id("subscription")
    const mandate_id = yield* tokens.id("mandate")
    const anchor_day = dayOf(at, organisation.timezone)
    const { state } = birth(
      Subscription.machine,
      Subscription.births.setUp,
      (status): Subscription.Subscription => ({
        ...repeatedOf(given, campaign_id),
        id,
        organisation_id: organisation.id,
        status,
        amount_cents: paying.amount_cents,
        currency: paying.currency,
        frequency,
        donation_form_id,
        integration_id: taking.integration.id,
        mandate_id,
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

  /**
   * Writes another try of the first charge: a new gift and a new charge of the same recurring gift, whose renewals repeat
   * this gift from now on, with its donor and answers.
   */
  const tryAgain = Effect.fnUntraced(function* (
    given: GiftInput,
    { campaign_id, invoice, subscription }: RetryTarget & Pick<SetUp, "campaign_id">
  ) {
    const { at, paying } = given
    const { id, mandate_id, organisation_id } = subscription
    const charge = yield* firstGift(given, subscription)
    const mandate = yield* mandates.findForUpdate(organisation_id, mandate_id)
    if (Option.isSome(mandate)) yield* mandates.update({ ...mandate.value, method: paying.method, updated_at: at })
    const command: Subscription.Command = { _tag: "Retry", at, repeated: repeatedOf(given, campaign_id) }
    const { state } = yield* Effect.orDie(Effect.fromResult(decide(Subscription.machine, subscription, command)))
    yield* subscriptions.update({ ...state, look_at: null })
    // Its due day does not change, so it cannot be taken.
    yield* Effect.orDie(invoices.update(yield* attempted(invoice, { _tag: "Attempt", at, charge_id: charge.id })))
    yield* changeLog.write({ operation: given.operation, subject_id: id, at, events: [] })
    return charge
  })

  return { setUp, tryAgain } as const
})

const operation = "subscriptions.renew"

/** Who renews, as the audit has it. */
export const renewer = { type: "SYSTEM", id: "renewer" } as const

/** The charge that was written; null where none is due. */
export type RenewalCharge = Charge | null

/** A polled gift is polled again after a day at the latest: a dispute may be decided, an account may come back. */
const daily = { days: 1 }

const services = Effect.all({
  change: makeSubscriptionChange,
  charges: ChargeStore,
  invoices: InvoiceStore,
  journal: ChangeLog,
  newCharge: makeChargeCreation,
  raising: makeExceptionReporter,
  subscriptions: SubscriptionStore,
  tokens: Tokens
})

type Services = Effect.Success<typeof services>

const decided = Effect.fnUntraced(function* (state: Subscription.Subscription, command: Subscription.Command) {
  return (yield* Effect.orDie(Effect.fromResult(decide(Subscription.machine, state, command)))).state
})

const lookAt = Effect.fnUntraced(function* (
  { change, subscriptions }: Services,
  state: Subscription.Subscription,
  next: DateTime.Utc | null
) {
  yield* subscriptions.update(yield* change.looked(state, next))
})

const isUnderWay = ({ charges }: Services, { mandate_id, organisation_id }: Subscription.Subscription) =>
  Effect.map(charges.unsettledOf(organisation_id, mandate_id), (all) => all.some(({ ended_at }) => ended_at === null))

const lookNever = Effect.fnUntraced(function* (
  services: Services,
  organisation_id: OrganisationId,
  id: SubscriptionId
) {
  const held = yield* services.subscriptions.findForUpdate(organisation_id, id)
  if (Option.isSome(held) && (yield* isUnderWay(services, held.value))) yield* lookAt(services, held.value, null)
})

/** A gift whose first charge failed, and that its donor has not tried again for a day, is over. */
const awaited = Effect.fnUntraced(function* (
  services: Services,
  { id: organisation_id }: Organisation,
  id: SubscriptionId
) {
  const held = yield* services.subscriptions.findForUpdate(organisation_id, id)
  if (Option.isNone(held) || !holds(Subscription.lastingRule, held.value)) return
  const [first] = yield* services.invoices.openOf(organisation_id, id)
  const lapse = first === undefined ? null : lapsesAt(first)
  const at = yield* organisationNow
  if (lapse === null || (yield* isUnderWay(services, held.value))) return yield* lookAt(services, held.value, null)
  if (DateTime.isGreaterThan(lapse, at)) return yield* lookAt(services, held.value, lapse)
  yield* Effect.orDie(services.change.end(operation, held.value, endingFor("payment_failed"), at))
})

/** Makes the invoices of the days that have come; an exception is opened for those that are left out. */
const invoiced = Effect.fnUntraced(function* (
  services: Services,
  before: Subscription.Subscription,
  { timezone }: Organisation,
  { integration }: PaymentAccount,
  at: DateTime.Utc
) {
  const { amount_cents, currency, id: subscription_id, organisation_id } = before
  const { made, skipped } = dueDaysOf(before, dayOf(at, timezone))
  let state = before
  for (const due_on of [...skipped, ...made].toSorted()) {
    state = yield* decided(state, { _tag: "MakeInvoice", at, due_on })
  }
  for (const due_on of made) {
    const id = yield* services.tokens.id("invoice")
    const due = { id, organisation_id, subscription_id, due_on, amount_cents, currency }
    // The subscription is locked, and its due day moves with the invoice: it cannot be taken.
    yield* Effect.orDie(
      services.invoices.insert(Invoice.newInvoice({ ...due, next_attempt_at: dueAt(due_on, timezone) }, at))
    )
  }
  for (const due_on of skipped) {
    const reason = `No invoice was made for ${due_on}: it lies too far back to be charged without asking the donor.`
    const matter = {
      kind: "skipped_invoice",
      charge_id: null,
      subject_id: subscription_id,
      amount_cents,
      reason
    } as const
    yield* services.raising.write(integration, matter, at)
  }
  if (state !== before) yield* services.journal.write({ operation, subject_id: subscription_id, at, events: [] })
  return state
})

const charged = Effect.fnUntraced(function* (
  { invoices, journal, newCharge, tokens }: Services,
  subscription: Subscription.Subscription,
  invoice: Invoice.Invoice,
  organisation: Organisation,
  taking: PaymentAccount,
  at: DateTime.Utc
) {
  const { mandate_id, method } = subscription
  const { amount_cents, currency } = invoice
  const id = yield* tokens.id("charge")
  const charge = yield* Effect.orDie(
    newCharge({
      id,
      organisation,
      taking,
      paying: { submission_id: id, amount_cents, currency, method },
      purpose: "invoice",
      subject_id: invoice.id,
      mandate_id,
      at
    })
  )
  const command: Invoice.Command = { _tag: "Attempt", at, charge_id: id }
  const { state } = yield* Effect.orDie(Effect.fromResult(decide(Invoice.machine, invoice, command)))
  yield* Effect.orDie(invoices.update(state))
  yield* journal.write({ operation, subject_id: id, at, events: [] })
  return charge
})

/** Makes the invoices that are due, and the charge of one of them, unless another one is under way or disputed. */
const renew = Effect.fnUntraced(function* (
  services: Services,
  organisation: Organisation,
  id: SubscriptionId,
  taking: PaymentAccount
) {
  const { id: organisation_id, timezone } = organisation
  const held = yield* services.subscriptions.findForUpdate(organisation_id, id)
  if (Option.isNone(held) || !holds(Subscription.lastingRule, held.value)) return null
  const at = yield* organisationNow
  const state = yield* invoiced(services, held.value, organisation, taking, at)
  const unsettled = yield* services.charges.unsettledOf(organisation_id, state.mandate_id)
  const looked = { now: at, timezone, open: yield* services.invoices.openOf(organisation_id, id) }
  const isFree = unsettled.length === 0 && taking.integration.charges_enabled
  const invoice = isFree ? attemptOf(state, looked) : undefined
  if (invoice === undefined) {
    const next = isFree ? nextPollAt(state, looked) : addTime(at, daily)
    yield* lookAt(services, state, next)
    return null
  }
  const charge = yield* charged(services, state, invoice, organisation, taking, at)
  // Once it has settled, its outcome sets the next poll.
  yield* lookAt(services, { ...state, last_charged_on: dayOf(at, timezone) }, addTime(at, daily))
  return charge
})

/** Has due recurring gifts charged, each under its lock, in the surrounding transaction. money, section 7. */
export const makeSubscriptionRenewal = Effect.map(services, (services) => ({
  awaited: (organisation: Organisation, id: SubscriptionId) => awaited(services, organisation, id),
  isUnderWay: (subscription: Subscription.Subscription) => isUnderWay(services, subscription),
  lookNever: (organisation_id: OrganisationId, id: SubscriptionId) => lookNever(services, organisation_id, id),
  renew: (organisation: Organisation, id: SubscriptionId, taking: PaymentAccount) =>
    renew(services, organisation, id, taking)
}))
