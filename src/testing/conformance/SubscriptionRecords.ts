import { Effect } from "effect"
import type { Donor } from "../../domain/giving/Donor.ts"
import { CalendarDate } from "../../domain/kernel/CalendarDate.ts"
import { InvoiceId, MandateId, type OrganisationId, SubscriptionId } from "../../domain/kernel/Ids.ts"
import { type Invoice, newInvoice } from "../../domain/payments/Invoice.ts"
import { newMandate } from "../../domain/payments/Mandate.ts"
import { Subscription } from "../../domain/payments/Subscription.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import { SubscriptionStore } from "../../ports/payments/SubscriptionStore.ts"
import { newIntegration } from "./ChargeRecords.ts"
import { at, donorOf, freshId, recordOf } from "./Records.ts"

export const freshSubscriptionId = Effect.map(freshId("subscription"), (id) => SubscriptionId.make(id))
export const freshInvoiceId = Effect.map(freshId("invoice"), (id) => InvoiceId.make(id))
export const freshMandateId = Effect.map(freshId("mandate"), (id) => MandateId.make(id))

/** A day after the first one of the examples. */
export const dayNumber = (days: number): CalendarDate =>
  CalendarDate.make(`2026-04-${String((days % 28) + 1).padStart(2, "0")}`)

/** A stored donor. */
export const newDonor = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Partial<Donor> = {}) {
  const donor = yield* donorOf(organisation_id, given)
  yield* (yield* DonorStore).insert(donor)
  return donor
})

/** A recurring gift that is not stored yet, and at which nobody looks. */
export const subscriptionOf = Effect.fnUntraced(function* (
  { id: donor_id, organisation_id }: Pick<Donor, "id" | "organisation_id">,
  given: Partial<Subscription> = {}
) {
  const { id: integration_id } = yield* newIntegration(organisation_id)
  return recordOf(Subscription, given, {
    id: yield* freshSubscriptionId,
    organisation_id,
    donor_id,
    status: "ACTIVE",
    amount_cents: 5_000,
    currency: "AUD",
    frequency: "MONTHLY",
    integration_id,
    mandate_id: yield* freshMandateId,
    method: "card",
    consent_responses: [],
    anchor_day: dayNumber(0),
    next_charge_on: dayNumber(7)
  })
})

/** A stored recurring gift of a new donor. */
export const newSubscription = Effect.fnUntraced(function* (
  organisation_id: OrganisationId,
  given: Partial<Subscription> = {}
) {
  const subscription = yield* subscriptionOf(yield* newDonor(organisation_id), given)
  yield* (yield* SubscriptionStore).insert(subscription)
  return subscription
})

/** An invoice of a stored recurring gift that is not stored yet. */
export const invoiceOf = Effect.fnUntraced(function* (
  { amount_cents, currency, id: subscription_id, organisation_id }: Subscription,
  given: Partial<Invoice> = {}
) {
  const id = yield* freshInvoiceId
  const due = { id, organisation_id, subscription_id, due_on: dayNumber(0), amount_cents, currency }
  const invoice: Invoice = { ...newInvoice({ ...due, next_attempt_at: null }, at(0)), ...given }
  return invoice
})

/** A mandate of a stored recurring gift that is not stored yet. */
export const mandateOf = ({ id, integration_id, mandate_id, method, organisation_id }: Subscription) =>
  newMandate({ id: mandate_id, organisation_id, subscription_id: id, integration_id, method }, at(0))
