import { DateTime } from "effect"
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
import { DonationId, EventId, OrganisationId, UserId } from "../domain/kernel/Ids.ts"
import { Limits } from "../domain/kernel/Limits.ts"
import { Attempt, Delivery } from "../domain/outbox/Delivery.ts"
import * as Event from "../domain/outbox/Event.ts"
import { WebhookEndpoint } from "../domain/outbox/WebhookEndpoint.ts"
import { Introduction } from "../domain/sharing/Introduction.ts"
import { RecipientAccount } from "../domain/sharing/RecipientAccount.ts"
import { arbitraryOf, instant } from "./Arbitraries.ts"
import { counter, recordsOf, storedRecord, text } from "./StoredRecords.ts"
import * as Subjects from "./Subjects.ts"
import { formSettings } from "./subjects/DonationForms.ts"

export { instant } from "./Arbitraries.ts"
export * from "./MoneyGenerators.ts"
export { storedRecord, text } from "./StoredRecords.ts"

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

/** Names that can be read, and now and then of any characters. */
const nameOf = (...usual: ReadonlyArray<string>): fc.Arbitrary<string | null> =>
  fc.option(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: text() }))

const names = fc.record({
  first_name: nameOf("Kim", "Noor", "Zoë", "Mary Ann"),
  last_name: nameOf("O'Brien", "Nguyễn", "de Silva", "王"),
  organisation_name: nameOf("Harbour Trust", "Valley Fund Pty Ltd", "Société d’Été"),
  email: fc.option(email)
})

/** Any donor, archived or not, with the name that one of its type needs. */
export const donor: fc.Arbitrary<Donor> = fc
  .tuple(arbitraryOf(Donor), counter, names)
  .map(([given, profile_revision, named]) => {
    const kept = storedRecord(given)
    const made = {
      ...kept,
      ...profileOf({ ...kept, ...named, country: kept.country.trim() || "AU" }),
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
export const donation: fc.Arbitrary<Donation> = recordsOf(Subjects.donations, Donation).map((given) => ({
  ...given,
  credit_id: null,
  refunded_amount_cents: refundedOf(given)
}))

/** Any consent prompt, archived or not. */
export const consentPrompt: fc.Arbitrary<ConsentPrompt> = arbitraryOf(ConsentPrompt).map(storedRecord)

/** Any contact log, deleted or not. */
export const contactLog: fc.Arbitrary<ContactLog> = fc
  .tuple(arbitraryOf(ContactLog), fc.option(text()))
  .map(([given, notes]) => ({ ...storedRecord(given), notes }))

/** Any refund, dated when it succeeded. */
export const refund: fc.Arbitrary<Refund> = arbitraryOf(Refund).map((given) => {
  const refunded_at = given.status === "SUCCEEDED" ? (given.refunded_at ?? given.created_at) : null
  return { ...storedRecord({ ...given, refunded_at }), allocation_id: null }
})

/** Any revenue code; its text holds no blank on either end. */
export const revenueCode: fc.Arbitrary<RevenueCode> = fc
  .tuple(arbitraryOf(RevenueCode), text())
  .map(([given, code]) => ({ ...storedRecord(given), code: code.trim(), is_fca: given.jurisdiction === "AU" }))

/** The fields of an introduction that are there from the acceptance on. */
const acceptance = fc.record({ organisation_id: arbitraryOf(OrganisationId), user_id: arbitraryOf(UserId) })

/** Any introduction; what happened to it before it ended happened in time. */
export const introduction: fc.Arbitrary<Introduction> = fc
  .tuple(
    Subjects.introductions.conform(arbitraryOf(Introduction)),
    acceptance,
    fc.nat({ max: Limits.introductionResends })
  )
  .map(([given, { organisation_id, user_id }, resends]) => {
    const wasAccepted = given.accepted_at !== null || given.status === "ACCEPTED" || given.status === "LINKED"
    const wasViewed = wasAccepted || given.status === "VIEWED"
    const { updated_at: end, ...kept } = storedRecord({
      ...given,
      updated_at: given.expires_at,
      viewed_at: wasViewed ? (given.viewed_at ?? given.created_at) : given.viewed_at,
      accepted_at: wasAccepted ? (given.accepted_at ?? given.created_at) : null,
      accepted_organisation_id: wasAccepted ? organisation_id : null,
      accepted_by_user_id: wasAccepted ? user_id : null,
      resend_count: resends,
      last_resent_at: resends > 0 ? (given.last_resent_at ?? given.created_at) : null
    })
    return { ...kept, sent_at: kept.created_at, expires_at: DateTime.add(end, { milliseconds: 1 }) }
  })

/** Any user. */
export const user: fc.Arbitrary<User> = arbitraryOf(User).map(storedRecord)

/** Any role of a member. */
export const role: fc.Arbitrary<Role> = arbitraryOf(Role)

/** Any donation form that keeps the rules of its amounts. */
export const donationForm: fc.Arbitrary<DonationForm> = fc
  .tuple(Subjects.donationForms.conform(arbitraryOf(DonationForm)), formSettings)
  .map(([given, { name, title, ...settings }]) => {
    const isLive = given.status === "ACTIVE" || given.status === "PAUSED"
    return storedRecord({
      ...given,
      ...settings,
      name: given.name.trim() === "" ? (name ?? "Spring") : given.name,
      title: given.title.trim() === "" ? (title ?? "Spring") : given.title,
      activated_at: isLive
        ? (given.activated_at ?? given.created_at)
        : given.status === "DRAFT"
          ? null
          : given.activated_at
    })
  })

/** Any checkout link; only one in use or cancelled has a gift in progress. */
export const checkoutLink: fc.Arbitrary<CheckoutLink> = fc
  .tuple(arbitraryOf(CheckoutLink), counter, arbitraryOf(DonationId))
  .map(([given, visits, donation_id]) => {
    const { archived_at, last_visited_at, status } = given
    const pending_donation_id = status === "ACTIVE" || status === "CANCELED" ? given.pending_donation_id : null
    const isAwaited = pending_donation_id !== null && status === "ACTIVE" && archived_at === null
    return storedRecord({
      ...given,
      visit_count: last_visited_at === null ? 0 : visits,
      donation_id: status === "COMPLETED" ? donation_id : null,
      pending_donation_id,
      pending_bank_transfer: isAwaited && given.pending_bank_transfer
    })
  })

/** Any processor integration. */
export const integration: fc.Arbitrary<Integration> = arbitraryOf(Integration).map(storedRecord)

/** Any link to a recipient's account, active or not. */
export const recipientAccount: fc.Arbitrary<RecipientAccount> = arbitraryOf(RecipientAccount).map((given) =>
  storedRecord({
    ...given,
    deactivated_at: given.is_active ? given.deactivated_at : (given.deactivated_at ?? given.created_at)
  })
)

/** Any webhook endpoint, subscribed to some types of the catalogue. */
export const webhookEndpoint: fc.Arbitrary<WebhookEndpoint> = fc
  .tuple(arbitraryOf(WebhookEndpoint), fc.subarray([...Event.eventTypes], { minLength: 1 }))
  .map(([given, event_types]) => ({
    ...storedRecord(given),
    event_types,
    disabled_reason: given.is_active ? null : (given.disabled_reason ?? "disabled_by_owner")
  }))

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
  .tuple(recordsOf(Subjects.deliveries, Delivery), fc.constantFrom(...Event.eventTypes))
  .map(([given, event_type]) => {
    const [attempts, interruptions] = [Limits.deliveryAttempts, Limits.deliveryInterruptions]
    const isPending = given.status === "PENDING"
    return {
      ...given,
      event_type,
      attempt_count: isPending ? given.attempt_count % attempts : given.attempt_count,
      interruption_count: isPending ? given.interruption_count % interruptions : given.interruption_count
    }
  })

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

/** Any campaign; one that was generated says how many it asks. */
export const campaign: fc.Arbitrary<Campaign> = fc
  .tuple(recordsOf(Subjects.campaigns, Campaign), fc.record({ generated_count: fc.nat(), without_email: fc.nat() }))
  .map(([given, counts]) => ({ ...given, ...(given.status === "GENERATED" ? counts : {}) }))

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
