import { DateTime, Predicate } from "effect"
import fc from "fast-check"
import { ApiKey } from "../domain/access/ApiKey.ts"
import { AuditEntry } from "../domain/access/Audit.ts"
import { Integration } from "../domain/access/Integration.ts"
import { Role, User } from "../domain/access/Membership.ts"
import { Organisation } from "../domain/access/Organisation.ts"
import { CheckoutLink } from "../domain/giving/CheckoutLink.ts"
import { ConsentPrompt } from "../domain/giving/ConsentPrompt.ts"
import { ContactLog } from "../domain/giving/ContactLog.ts"
import { Donation } from "../domain/giving/Donation.ts"
import { DonationForm } from "../domain/giving/DonationForm.ts"
import { Donor, eventCore, missingField, profileOf } from "../domain/giving/Donor.ts"
import { Refund } from "../domain/giving/Refund.ts"
import { RevenueCode } from "../domain/giving/RevenueCode.ts"
import { Campaign } from "../domain/insight/Campaign.ts"
import { DonorScore } from "../domain/insight/Intelligence.ts"
import { Segment } from "../domain/insight/Segment.ts"
import { EventId } from "../domain/kernel/Ids.ts"
import { Limits } from "../domain/kernel/Limits.ts"
import { Attempt, Delivery } from "../domain/outbox/Delivery.ts"
import * as Event from "../domain/outbox/Event.ts"
import { WebhookEndpoint } from "../domain/outbox/WebhookEndpoint.ts"
import { Charge } from "../domain/payments/Charge.ts"
import { Dispute } from "../domain/payments/Dispute.ts"
import { Invoice } from "../domain/payments/Invoice.ts"
import { LedgerEntry, SingleAccount } from "../domain/payments/Ledger.ts"
import { Mandate } from "../domain/payments/Mandate.ts"
import { Notice } from "../domain/payments/Notice.ts"
import { PaymentException } from "../domain/payments/PaymentException.ts"
import { Subscription } from "../domain/payments/Subscription.ts"
import { Tariff } from "../domain/payments/Tariff.ts"
import { Introduction } from "../domain/sharing/Introduction.ts"
import { Payment } from "../domain/sharing/Payment.ts"
import { RecipientAccount } from "../domain/sharing/RecipientAccount.ts"
import { Allocation, RecommendationSet } from "../domain/sharing/RecommendationSet.ts"
import { Transfer } from "../domain/sharing/Transfer.ts"
import { TransferAttempt } from "../domain/sharing/TransferAttempt.ts"
import { arbitraryOf } from "./Arbitraries.ts"
import { character } from "./Characters.ts"
import { instantIn } from "./InTime.ts"

const earliestMillis = Date.UTC(2000, 0, 1)
const latestMillis = Date.UTC(2060, 0, 1)

const instantOf = (millis: number): DateTime.Utc => DateTime.makeUnsafe(millis)

/** An instant between 2000 and 2060, to the millisecond. */
export const instant: fc.Arbitrary<DateTime.Utc> = fc.integer({ min: earliestMillis, max: latestMillis }).map(instantOf)

/** Text that is stored and read back as it is: no U+0000, no half of a surrogate pair; all planes of Unicode. */
export const text = (maxLength = 20): fc.Arbitrary<string> =>
  fc.string({ unit: character, maxLength }).map((each) => each.replaceAll("\u0000", ""))

const storedInstant = (given: DateTime.DateTime): DateTime.Utc => {
  const span = latestMillis - earliestMillis
  const offset = (DateTime.toEpochMillis(given) - earliestMillis) % span
  return instantOf(earliestMillis + (offset < 0 ? offset + span : offset))
}

const stored = (value: unknown): unknown => {
  if (typeof value === "string") return value.replaceAll("\u0000", "").toWellFormed()
  if (DateTime.isDateTime(value)) return storedInstant(value)
  if (Array.isArray(value)) return value.map(stored)
  return Predicate.isObject(value) ? storedRecord(value) : value
}

/**
 * The record with values that every store can keep: well-formed text, and instants of this century. One that says when it
 * was made and last changed was made first.
 */
export const storedRecord = <A extends object>(record: A): A => {
  const copy = { ...record }
  for (const [field, value] of Object.entries(record)) Object.assign(copy, { [field]: stored(value) })
  const [made, changed] = [instantIn(copy, "created_at"), instantIn(copy, "updated_at")]
  if (made === undefined || changed === undefined) return copy
  return { ...copy, created_at: DateTime.min(made, changed), updated_at: DateTime.max(made, changed) }
}

/** A value of a counter that fits into a database's integer. */
const counter = fc.integer({ min: 1, max: 1_000_000 })

/** Any organisation; its slug and id are random. */
export const organisation: fc.Arbitrary<Organisation> = arbitraryOf(Organisation).map(storedRecord)

/** Any API key. */
export const apiKey: fc.Arbitrary<ApiKey> = fc
  .tuple(arbitraryOf(ApiKey), counter)
  .map(([key, generation]) => ({ ...storedRecord(key), generation }))

/** An address that the API takes, each time another one. */
const email = fc
  .tuple(fc.constantFrom("kim", "noor", "zoë", "mary.o'brien"), counter)
  .map(([name, number]) => `${name}+${number}@example.org`)

/** Any donor, archived or not, with the name that one of its type needs. */
export const donor: fc.Arbitrary<Donor> = fc
  .tuple(
    arbitraryOf(Donor),
    counter,
    fc.record({ first_name: fc.option(text()), last_name: fc.option(text()), email: fc.option(email) })
  )
  .map(([given, profile_revision, names]) => {
    const kept = storedRecord(given)
    const made = {
      ...kept,
      ...profileOf({ ...kept, ...names, country: kept.country.trim() || "AU" }),
      profile_revision
    }
    const lacking = missingField(made)
    return lacking === null ? made : { ...made, [lacking]: "Kim" }
  })

/** The part of a gift that was given back in its status: all of it, less than all, or nothing. */
const refundedOf = ({ amount_cents, refunded_amount_cents, status }: Donation): number => {
  if (status === "REFUNDED") return amount_cents
  return status === "CONFIRMED" ? refunded_amount_cents % amount_cents : 0
}

/** Any donation; what was refunded, when it was received and why it failed go with its status. */
export const donation: fc.Arbitrary<Donation> = arbitraryOf(Donation).map((given) => {
  const wasReceived = given.status === "CONFIRMED" || given.status === "REFUNDED"
  const kept = storedRecord(given)
  return {
    ...kept,
    credit_id: null,
    refunded_amount_cents: refundedOf(given),
    received_date: wasReceived ? kept.received_date : null,
    received_day: wasReceived ? given.received_day : null,
    failure_code: given.status === "FAILED" ? "card_declined" : null
  }
})

/** Any consent prompt, archived or not. */
export const consentPrompt: fc.Arbitrary<ConsentPrompt> = arbitraryOf(ConsentPrompt).map(storedRecord)

/** Any contact log, deleted or not. */
export const contactLog: fc.Arbitrary<ContactLog> = fc
  .tuple(arbitraryOf(ContactLog), fc.option(text()))
  .map(([given, notes]) => ({ ...storedRecord(given), notes }))

/** Any refund, dated when it succeeded. */
export const refund: fc.Arbitrary<Refund> = fc.tuple(arbitraryOf(Refund), instant).map(([given, at]) => ({
  ...storedRecord(given),
  allocation_id: null,
  refunded_at: given.status === "SUCCEEDED" ? at : null
}))

/** Any revenue code; its text holds no blank on either end. */
export const revenueCode: fc.Arbitrary<RevenueCode> = fc
  .tuple(arbitraryOf(RevenueCode), text())
  .map(([given, code]) => ({ ...storedRecord(given), code: code.trim(), is_fca: given.jurisdiction === "AU" }))

/** Any introduction. */
export const introduction: fc.Arbitrary<Introduction> = arbitraryOf(Introduction).map(storedRecord)

/** Any user. */
export const user: fc.Arbitrary<User> = arbitraryOf(User).map(storedRecord)

/** Any role of a member. */
export const role: fc.Arbitrary<Role> = arbitraryOf(Role)

/** Any donation form. */
export const donationForm: fc.Arbitrary<DonationForm> = arbitraryOf(DonationForm).map(storedRecord)

/** Any checkout link. */
export const checkoutLink: fc.Arbitrary<CheckoutLink> = fc
  .tuple(arbitraryOf(CheckoutLink), counter)
  .map(([link, visit_count]) => ({ ...storedRecord(link), visit_count }))

/** Any processor integration. */
export const integration: fc.Arbitrary<Integration> = arbitraryOf(Integration).map(storedRecord)

/** Any charge; its fields need not fit its status. */
export const charge: fc.Arbitrary<Charge> = fc
  .tuple(arbitraryOf(Charge), counter)
  .map(([given, looks]) => ({ ...storedRecord(given), looks }))

/** Any dispute. */
export const dispute: fc.Arbitrary<Dispute> = arbitraryOf(Dispute).map(storedRecord)

/** Any recurring gift; its fields need not fit its status. */
export const subscription: fc.Arbitrary<Subscription> = arbitraryOf(Subscription).map(storedRecord)

/** Any invoice of a recurring gift; its fields need not fit its status. */
export const invoice: fc.Arbitrary<Invoice> = fc
  .tuple(arbitraryOf(Invoice), counter)
  .map(([given, failures]) => ({ ...storedRecord(given), failures }))

/** Any mandate; its fields need not fit its status. */
export const mandate: fc.Arbitrary<Mandate> = arbitraryOf(Mandate).map(storedRecord)

/** Any transfer attempt. */
export const transferAttempt: fc.Arbitrary<TransferAttempt> = arbitraryOf(TransferAttempt).map((given) => ({
  ...storedRecord(given),
  reversed_id: null,
  cause: null
}))

/** Any movement of money between two accounts. */
export const ledgerEntry: fc.Arbitrary<LedgerEntry> = fc
  .tuple(arbitraryOf(LedgerEntry), fc.shuffledSubarray([...SingleAccount.literals], { minLength: 2, maxLength: 2 }))
  .map(([given, [from_account = given.from_account, to_account = given.to_account]]) => ({
    ...storedRecord(given),
    from_account,
    to_account
  }))

/** Any payment exception; it holds at most its amount. */
export const paymentException: fc.Arbitrary<PaymentException> = arbitraryOf(PaymentException).map((given) => ({
  ...storedRecord(given),
  held_cents: given.held_cents % (given.amount_cents + 1)
}))

/** Any notice; its fields need not fit its status. */
export const notice: fc.Arbitrary<Notice> = arbitraryOf(Notice).map(storedRecord)

/** Any tariff of one plan. */
export const tariff: fc.Arbitrary<Tariff> = arbitraryOf(Tariff).map(storedRecord)

/** Any link to a recipient's account, active or not. */
export const recipientAccount: fc.Arbitrary<RecipientAccount> = arbitraryOf(RecipientAccount).map(storedRecord)

const cents = fc.integer({ min: 0, max: Limits.donationMaximumCents })

const parts = <A extends { readonly id: string }>(part: fc.Arbitrary<A>): fc.Arbitrary<ReadonlyArray<A>> =>
  fc.uniqueArray(part, { selector: ({ id }) => id, minLength: 1, maxLength: 3 })

/** Any recommendation set with one to three allocations; their amounts need not follow its rules. */
export const recommendationSet: fc.Arbitrary<RecommendationSet> = fc
  .tuple(
    arbitraryOf(RecommendationSet),
    parts(fc.tuple(arbitraryOf(Allocation), cents).map(([given, amount_cents]) => ({ ...given, amount_cents })))
  )
  .map(([given, allocations]) => ({ ...storedRecord(given), allocations }))

const transfer: fc.Arbitrary<Transfer> = fc
  .tuple(arbitraryOf(Transfer), counter, cents)
  .map(([given, retry_count, gross_amount_cents]) => ({
    ...storedRecord(given),
    retry_count,
    gross_amount_cents,
    net_amount_cents: given.net_amount_cents % (gross_amount_cents + 1)
  }))

/** Any payment to a recommendation set with one to three transfers; their amounts need not add up. */
export const payment: fc.Arbitrary<Payment> = fc
  .tuple(
    arbitraryOf(Payment),
    parts(transfer),
    fc.record({ total_amount_cents: counter, platform_fee_cents: counter, processor_fee_cents: counter })
  )
  .map(([given, allocations, amounts]) => ({ ...storedRecord(given), ...amounts, allocations }))

/** Any webhook endpoint, subscribed to some types of the catalogue. */
export const webhookEndpoint: fc.Arbitrary<WebhookEndpoint> = fc
  .tuple(arbitraryOf(WebhookEndpoint), fc.subarray([...Event.eventTypes], { minLength: 1 }))
  .map(([given, event_types]) => ({ ...storedRecord(given), event_types }))

/** Any event about a donor, without a dedupe key. */
export const event: fc.Arbitrary<Event.Event> = fc
  .tuple(donor, arbitraryOf(EventId), instant, fc.constantFrom("donor.created" as const, "donor.merged" as const))
  .map(([about, id, occurred_at, type]) => {
    const common = { id, organisation_id: about.organisation_id, occurred_at, dedupe_key: about.id }
    const data = eventCore(about)
    return type === "donor.created"
      ? Event.make({ ...common, type, data })
      : Event.make({ ...common, type, data: { ...data, merged_donor_id: about.id } })
  })

/** Any delivery: due while it is pending, dated once it ended. */
export const delivery: fc.Arbitrary<Delivery> = fc
  .tuple(arbitraryOf(Delivery), instant, fc.constantFrom(...Event.eventTypes))
  .map(([given, at, event_type]) => ({
    ...storedRecord(given),
    event_type,
    next_attempt_at: given.status === "PENDING" ? at : null,
    completed_at: given.status === "PENDING" ? null : at
  }))

/** Any attempt of a delivery. */
export const attempt: fc.Arbitrary<Attempt> = fc
  .tuple(
    arbitraryOf(Attempt),
    fc.record({
      number: fc.integer({ min: 1, max: Limits.deliveryAttempts }),
      response_status: fc.option(fc.integer({ min: 100, max: 599 })),
      duration_ms: fc.option(fc.nat({ max: Limits.webhookTimeoutMillis }))
    })
  )
  .map(([given, numbers]) => ({ ...storedRecord(given), ...numbers }))

/** Any campaign. */
export const campaign: fc.Arbitrary<Campaign> = fc
  .tuple(arbitraryOf(Campaign), fc.record({ generated_count: fc.option(fc.nat()), without_email: fc.option(fc.nat()) }))
  .map(([given, counts]) => ({ ...storedRecord(given), ...counts }))

/** Any score. */
export const donorScore: fc.Arbitrary<DonorScore> = fc
  .tuple(arbitraryOf(DonorScore), fc.nat(1_000_000_000), counter)
  .map(([given, opportunity_cents, scoring_version]) => ({
    ...storedRecord(given),
    opportunity_cents,
    scoring_version
  }))

/** Any segment. */
export const segment: fc.Arbitrary<Segment> = fc
  .tuple(arbitraryOf(Segment), counter)
  .map(([given, member_count]) => ({ ...storedRecord(given), member_count }))

/** Any audit entry. */
export const auditEntry: fc.Arbitrary<AuditEntry> = arbitraryOf(AuditEntry).map(storedRecord)
