import { Effect } from "effect"
import type { Integration } from "../../domain/access/Integration.ts"
import type { Donor } from "../../domain/giving/Donor.ts"
import { CalendarDate } from "../../domain/kernel/CalendarDate.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { Charge } from "../../domain/payments/Charge.ts"
import { Dispute } from "../../domain/payments/Dispute.ts"
import { type Invoice, newInvoice } from "../../domain/payments/Invoice.ts"
import type { LedgerEntry } from "../../domain/payments/Ledger.ts"
import { newMandate } from "../../domain/payments/Mandate.ts"
import { PaymentException } from "../../domain/payments/PaymentException.ts"
import { Subscription } from "../../domain/payments/Subscription.ts"
import { Payment } from "../../domain/sharing/Payment.ts"
import type { RecipientAccount } from "../../domain/sharing/RecipientAccount.ts"
import { RecommendationSet } from "../../domain/sharing/RecommendationSet.ts"
import { Transfer } from "../../domain/sharing/Transfer.ts"
import { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import { ChargeStore } from "../../ports/payments/ChargeStore.ts"
import { SubscriptionStore } from "../../ports/payments/SubscriptionStore.ts"
import { RecipientAccountStore } from "../../ports/sharing/RecipientAccountStore.ts"
import { at, donorOf, freshId, integrationOf, linkOf, makerOf, recordOf, storedIn } from "./Records.ts"

export const newIntegration = (organisation_id: OrganisationId) =>
  storedIn(IntegrationStore, integrationOf(organisation_id))

/** A charge of a new gift that is not stored yet, and that nobody looks at. */
export const chargeOf = Effect.fnUntraced(function* (
  { id, organisation_id }: Pick<Integration, "id" | "organisation_id">,
  given: Partial<Charge> = {}
) {
  return recordOf(Charge, given, {
    id: yield* freshId("charge"),
    organisation_id,
    integration_id: id,
    purpose: "donation",
    subject_id: yield* freshId("donation"),
    method: "card",
    amount_cents: 5_000,
    currency: "AUD",
    status: "NEW",
    submission_id: yield* freshId("request"),
    platform_rate: { basis_points: 100, fixed_cents: 30 },
    looks: 0
  })
})

/** A stored charge of a new integration. */
export const newCharge = (organisation_id: OrganisationId, given: Partial<Charge> = {}) =>
  Effect.flatMap(newIntegration(organisation_id), (integration) => storedIn(ChargeStore, chargeOf(integration, given)))

export const disputeOf = makerOf(
  Dispute,
  "dispute",
  ({ id, organisation_id }: Pick<Charge, "id" | "organisation_id">, fresh) => ({
    id: fresh,
    organisation_id,
    charge_id: id,
    reference: "dp_1",
    amount_cents: 5_000,
    status: "OPEN"
  })
)

export const exceptionOf = makerOf(PaymentException, "paymentException", (organisation_id: OrganisationId, id) => ({
  id,
  organisation_id,
  kind: "mismatch",
  status: "OPEN",
  subject_id: id,
  amount_cents: 100,
  held_cents: 0,
  currency: "AUD",
  reason: "The processor has 4900, and we have 5000."
}))

export const entryOf = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Partial<LedgerEntry> = {}) {
  const entry: LedgerEntry = {
    id: yield* freshId("ledgerEntry"),
    organisation_id,
    charge_id: null,
    cause: "charge",
    cause_id: "chg_1",
    from_account: "donor",
    to_account: "organisation",
    amount_cents: 5_000,
    currency: "AUD",
    at: at(0),
    ...given
  }
  return entry
})

/** A day after the first one of the examples. */
export const dayNumber = (days: number): CalendarDate =>
  CalendarDate.make(`2026-04-${String((days % 28) + 1).padStart(2, "0")}`)

export const newDonor = (organisation_id: OrganisationId, given: Partial<Donor> = {}) =>
  storedIn(DonorStore, donorOf(organisation_id, given))

/** A recurring gift that is not stored yet, and at which nobody looks. */
export const subscriptionOf = Effect.fnUntraced(function* (
  { id: donor_id, organisation_id }: Pick<Donor, "id" | "organisation_id">,
  given: Partial<Subscription> = {}
) {
  const { id: integration_id } = yield* newIntegration(organisation_id)
  return recordOf(Subscription, given, {
    id: yield* freshId("subscription"),
    organisation_id,
    donor_id,
    status: "ACTIVE",
    amount_cents: 5_000,
    currency: "AUD",
    frequency: "MONTHLY",
    integration_id,
    mandate_id: yield* freshId("mandate"),
    method: "card",
    consent_responses: [],
    anchor_day: dayNumber(0),
    next_charge_on: dayNumber(7)
  })
})

/** A stored recurring gift of a new donor. */
export const newSubscription = (organisation_id: OrganisationId, given: Partial<Subscription> = {}) =>
  Effect.flatMap(newDonor(organisation_id), (donor) => storedIn(SubscriptionStore, subscriptionOf(donor, given)))

/** An invoice of a stored recurring gift that is not stored yet. */
export const invoiceOf = Effect.fnUntraced(function* (
  { amount_cents, currency, id: subscription_id, organisation_id }: Subscription,
  given: Partial<Invoice> = {}
) {
  const id = yield* freshId("invoice")
  const due = { id, organisation_id, subscription_id, due_on: dayNumber(0), amount_cents, currency }
  const invoice: Invoice = { ...newInvoice({ ...due, next_attempt_at: null }, at(0)), ...given }
  return invoice
})

/** A mandate of a stored recurring gift that is not stored yet. */
export const mandateOf = ({ id, integration_id, mandate_id, method, organisation_id }: Subscription) =>
  newMandate({ id: mandate_id, organisation_id, subscription_id: id, integration_id, method }, at(0))

/** A stored link to an account of `recipient`. */
export const newLink = (...link: Parameters<typeof linkOf>) => storedIn(RecipientAccountStore, linkOf(...link))

/** A set that is not stored yet, with an allocation of 1000, 2000, … for each of the links in their order. */
export const setOf = Effect.fnUntraced(function* (
  organisation_id: OrganisationId,
  links: ReadonlyArray<RecipientAccount>,
  given: Partial<RecommendationSet> = {}
) {
  const allocations = yield* Effect.forEach(links, ({ id }, index) =>
    Effect.map(freshId("allocation"), (fresh) => ({
      id: fresh,
      recipient_org_account_link_id: id,
      amount_cents: 1000 * (index + 1)
    }))
  )
  const id = yield* freshId("recommendationSet")
  return recordOf(RecommendationSet, given, {
    id,
    organisation_id,
    name: "Harvest",
    slug: id.replace("_", "-"),
    url_key: yield* freshId("request"),
    is_active: true,
    amount_mode: "SUGGESTED",
    allocations
  })
})

const transferTo = Effect.fnUntraced(function* (link: RecipientAccount, gross_amount_cents: number) {
  const id = yield* freshId("paymentAllocation")
  return recordOf(
    Transfer,
    {},
    {
      id,
      recipient_org_account_link_id: link.id,
      recipient_organisation_id: link.recipient_organisation_id,
      gross_amount_cents,
      net_amount_cents: gross_amount_cents - 10,
      transfer_status: "pending",
      series: 1,
      retry_count: 0
    }
  )
})

/** A payment that is not stored yet, of 1000 to each of the links. */
export const paymentOf = Effect.fnUntraced(function* (
  set: RecommendationSet,
  links: ReadonlyArray<RecipientAccount>,
  given: Partial<Payment> = {}
) {
  return recordOf(Payment, given, {
    id: yield* freshId("payment"),
    organisation_id: set.organisation_id,
    recommendation_set_id: set.id,
    consent_responses: [],
    payment_status: "PENDING",
    currency: "AUD",
    total_amount_cents: 1000 * links.length,
    payment_method_type: "card",
    platform_fee_cents: 10 * links.length,
    processor_fee_cents: 0,
    allocations: yield* Effect.forEach(links, (link) => transferTo(link, 1000))
  })
})
