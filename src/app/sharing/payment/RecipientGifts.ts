import { DateTime, Duration, Effect, Option } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { differsFromRecord, type TypedDonor } from "../../../domain/giving/CheckoutDonor.ts"
import * as Donation from "../../../domain/giving/Donation.ts"
import type { Donor } from "../../../domain/giving/Donor.ts"
import { failRefund, refund } from "../../../domain/giving/Refund.ts"
import { dayOf } from "../../../domain/kernel/CalendarDate.ts"
import type { ChargeId, DonationId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import { subtractTime } from "../../../domain/kernel/InstantRange.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { parse } from "../../../domain/kernel/Listing.ts"
import { birth, decide } from "../../../domain/kernel/Machine.ts"
import * as Mail from "../../../domain/kernel/Mail.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { arrivalOf } from "../../../domain/payments/BankTransfer.ts"
import type { Payment } from "../../../domain/sharing/Payment.ts"
import { isGiven, type Transfer } from "../../../domain/sharing/Transfer.ts"
import * as TransferAttempt from "../../../domain/sharing/TransferAttempt.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import { DonorStore } from "../../../ports/giving/DonorStore.ts"
import { RefundStore } from "../../../ports/giving/RefundStore.ts"
import { organisationNow, realNow } from "../../../ports/kernel/AheadClock.ts"
import { MailOutbox } from "../../../ports/kernel/MailOutbox.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { CreditStore } from "../../../ports/payments/CreditStore.ts"
import { TransferAttemptStore } from "../../../ports/sharing/TransferAttemptStore.ts"
import { actingIn } from "../../access/caller/CallerContext.ts"
import { ChangeLog } from "../../access/change/Change.ts"
import { makeCheckoutDonors } from "../../payments/charge/ChargeCreation.ts"

/** Who writes to recipients what follows from others' payments. */
export const distributor = { type: "SYSTEM", id: "distributor" } as const

/** When, by whom and in which operation gifts are written. */
export interface Occasion {
  readonly operation: string
  readonly request_id: string
  readonly at: DateTime.Utc
}

/** A recipient organisation, and who gave there. */
export interface Recipient {
  readonly organisation: Organisation
  readonly donor: Donor
}

/** The organisations to which a payment gives anything, each once, in the order in which all payments lock them. */
export const recipientsOf = ({ allocations }: Pick<Payment, "allocations">): ReadonlyArray<OrganisationId> =>
  [...new Set(allocations.filter(isGiven).map((each) => each.recipient_organisation_id))].toSorted(compareCodePoints)

/** The details of a linked donor that a recipient gets: the address and the name alone. money, section 6. */
const nameOf = ({ donor_type, email, first_name, last_name, organisation_name }: Donor): TypedDonor => ({
  donor_type,
  email,
  first_name,
  last_name,
  organisation_name
})

interface PaidBy {
  readonly payment: Payment
  readonly charge_id: ChargeId
}

const services = Effect.all({
  attempts: TransferAttemptStore,
  credits: CreditStore,
  donations: DonationStore,
  donorStore: DonorStore,
  donors: makeCheckoutDonors,
  journal: ChangeLog,
  mails: MailOutbox,
  organisations: OrganisationStore,
  refunds: RefundStore,
  tokens: Tokens
})

type Services = Effect.Success<typeof services>

/** The recipient's organisation, which is never deleted. */
const organisationOf = ({ organisations }: Services, id: OrganisationId) =>
  Effect.flatMap(organisations.find(id), (found) => Effect.orDie(Effect.fromOption(found)))

const typedIn = Effect.fnUntraced(function* (
  { donorStore }: Services,
  { link_donor_id, organisation_id, submitted_donor }: Payment
) {
  if (link_donor_id === null) return submitted_donor ?? {}
  const linked = yield* donorStore.find(organisation_id, link_donor_id)
  return Option.match(linked, { onNone: (): TypedDonor => ({}), onSome: nameOf })
})

/** The donor at a recipient: its own donor of the address, locked, or else a new one, for whom it gets an event. */
const donorAt = Effect.fnUntraced(function* (
  services: Services,
  id: OrganisationId,
  payment: Payment,
  occasion: Occasion
) {
  const organisation = yield* organisationOf(services, id)
  const typed = yield* typedIn(services, payment)
  // The details were found to make a donor when they were submitted.
  const donor = yield* Effect.orDie(services.donors.resolve(id, Option.none(), typed, occasion)).pipe(
    actingIn(organisation, distributor, occasion.request_id)
  )
  const recipient: Recipient = { organisation, donor }
  return recipient
})

/** When the gift was made: a bank transfer when its money arrived, everything else when it was submitted. */
const datedIn = Effect.fnUntraced(function* (
  { credits }: Services,
  payment: Payment,
  charge_id: ChargeId,
  timezone: string
) {
  const { created_at, organisation_id, payment_method_type, total_amount_cents } = payment
  const submitted = { donation_date: created_at, donation_day: dayOf(created_at, timezone) }
  if (payment_method_type !== "bank_transfer") return submitted
  const arrived = arrivalOf(total_amount_cents, yield* credits.ofCharge(organisation_id, charge_id), timezone)
  return arrived === null ? submitted : { donation_date: arrived.at, donation_day: arrived.on }
})

const tell = (
  { journal }: Services,
  { organisation }: Pick<Recipient, "organisation">,
  { id, events }: { readonly id: DonationId; readonly events: ReadonlyArray<Donation.DonationEmission> },
  { at, operation, request_id }: Occasion
) => journal.write({ operation, subject_id: id, at, events }).pipe(actingIn(organisation, distributor, request_id))

const insert = Effect.fnUntraced(function* (
  services: Services,
  recipient: Pick<Recipient, "organisation">,
  gift: Omit<Donation.Donation, "status">,
  occasion: Occasion
) {
  const { events, state } = birth(
    Donation.machine,
    Donation.births.submitted,
    (status): Donation.Donation => ({ ...gift, status })
  )
  yield* services.donations.insert(state)
  yield* tell(services, recipient, { id: state.id, events }, occasion)
  return state.id
})

/** Writes the PENDING gift of a part of a payment, with the recipient's events. */
const write = Effect.fnUntraced(function* (
  services: Services,
  { charge_id, payment }: PaidBy,
  { gross_amount_cents, id: allocation_id, recipient_org_account_link_id }: Transfer,
  recipient: Recipient,
  occasion: Occasion
) {
  const { donor, organisation } = recipient
  const { consent_given, consent_responses, currency, language, link_donor_id, payment_method_type } = payment
  const submitted_donor = link_donor_id === null ? payment.submitted_donor : null
  return yield* insert(
    services,
    recipient,
    Donation.bare({
      id: yield* services.tokens.id("donation"),
      organisation_id: organisation.id,
      donor_id: donor.id,
      source: "RECOMMENDATION_SET",
      amount_cents: gross_amount_cents,
      currency,
      payment_method: payment_method_type,
      recommendation_set_id: payment.recommendation_set_id,
      allocation_id,
      recipient_account_link_id: recipient_org_account_link_id,
      submitted_donor,
      language,
      differs_from_record: differsFromRecord(submitted_donor, donor),
      consent_given,
      consent_responses: consent_responses.map((each) => ({ ...each, prompt_id: null })),
      created_at: occasion.at,
      updated_at: occasion.at,
      ...(yield* datedIn(services, payment, charge_id, organisation.timezone))
    }),
    occasion
  )
})

/** The gift of a transfer, locked; none where there is none. */
const held = ({ donations }: Services, { donation_id, recipient_organisation_id }: Transfer) =>
  donation_id === null ? Effect.succeedNone : donations.findForUpdate(recipient_organisation_id, donation_id)

const perform = Effect.fnUntraced(function* (
  services: Services,
  transfer: Transfer,
  occasion: Occasion,
  commandOf: (gift: Donation.Donation, organisation: Organisation) => Donation.Command
) {
  const gift = yield* held(services, transfer)
  if (Option.isNone(gift) || gift.value.status !== "PENDING") return
  const organisation = yield* organisationOf(services, transfer.recipient_organisation_id)
  const decided = decide(Donation.machine, gift.value, commandOf(gift.value, organisation))
  // A transfer's effect is legal for its gift: a refusal is an error of the program.
  const { events, state } = yield* Effect.orDie(Effect.fromResult(decided))
  yield* services.donations.update(state)
  yield* tell(services, { organisation }, { id: state.id, events }, occasion)
})

/** The recipient has its money. What a bank transfer brought keeps the day of its arrival. */
const confirm = (services: Services, transfer: Transfer, occasion: Occasion) =>
  perform(services, transfer, occasion, (gift, { timezone }) =>
    gift.payment_method === "bank_transfer"
      ? {
          _tag: "SettleTransfer",
          at: occasion.at,
          arrived_at: gift.donation_date,
          arrived_on: gift.donation_day
        }
      : { _tag: "Settle", at: occasion.at, received_on: dayOf(occasion.at, timezone) }
  )

const fail = (services: Services, transfer: Transfer, failure_code: string, occasion: Occasion) =>
  perform(services, transfer, occasion, () => ({ _tag: "Fail", at: occasion.at, failure_code }))

/** The money was taken back: the gift is REFUNDED, by a row of its own that has happened. */
const giveBack = Effect.fnUntraced(function* (
  services: Services,
  transfer: Transfer,
  reason: TransferAttempt.Cause | null,
  occasion: Occasion
) {
  const gift = yield* held(services, transfer)
  if (Option.isNone(gift) || gift.value.status !== "CONFIRMED") return
  const organisation = yield* organisationOf(services, transfer.recipient_organisation_id)
  const rows = yield* services.refunds.ofDonation(organisation.id, gift.value.id)
  const occurrence = { id: yield* services.tokens.id("refund"), at: occasion.at }
  const outcome = refund(gift.value, rows, { reason }, occurrence)
  const { donation, events, refund: row } = yield* Effect.orDie(Effect.fromResult(outcome))
  yield* services.donations.update(donation)
  yield* services.refunds.insert(row)
  yield* tell(services, { organisation }, { id: donation.id, events }, occasion)
})

/** The bank's taking of the payment was undone: the gift is what it was, and the row of what was given back has failed. */
const restore = Effect.fnUntraced(function* (services: Services, transfer: Transfer, occasion: Occasion) {
  const gift = yield* held(services, transfer)
  if (Option.isNone(gift)) return
  const organisation = yield* organisationOf(services, transfer.recipient_organisation_id)
  const rows = yield* services.refunds.ofDonation(organisation.id, gift.value.id)
  const row = rows.find(({ status }) => status === "SUCCEEDED")
  if (row === undefined) return
  const outcome = yield* Effect.orDie(Effect.fromResult(failRefund(gift.value, row, occasion.at)))
  yield* services.donations.update(outcome.donation)
  yield* services.refunds.update(outcome.refund)
  yield* tell(services, { organisation }, { id: gift.value.id, events: outcome.events }, occasion)
})

/**
 * The donor of a transfer's gift, locked; a gift that a merge moves meanwhile is read again. It is locked before the
 * payment is, as by whoever merges donors.
 */
const holdDonor = Effect.fnUntraced(function* (
  services: Services,
  transfer: Transfer
): Effect.fn.Return<Option.Option<Donation.Donation>> {
  const { donation_id, recipient_organisation_id: id } = transfer
  if (donation_id === null) return Option.none()
  const gift = yield* services.donations.find(id, donation_id)
  if (Option.isNone(gift)) return gift
  yield* services.donorStore.findForShare(id, gift.value.donor_id)
  const again = yield* services.donations.find(id, donation_id)
  const isSame = Option.exists(again, ({ donor_id }) => donor_id === gift.value.donor_id)
  return isSame ? again : yield* holdDonor(services, transfer)
})

/** Writes the gift of another series, as the one before was, PENDING again, with the recipient's events. */
const anew = Effect.fnUntraced(function* (services: Services, failed: Donation.Donation, occasion: Occasion) {
  const organisation = yield* organisationOf(services, failed.organisation_id)
  const id = yield* services.tokens.id("donation")
  return yield* insert(services, { organisation }, Donation.anewOf(failed, id, occasion.at), occasion)
})

const reversalsBegunTogether = Duration.hours(1)

/** Whether more of a payment is about to come back from its recipients: what was asked for at one time comes back part by part. */
const isComingBack = Effect.fnUntraced(function* ({ attempts }: Services, { id, organisation_id }: Payment) {
  const asked = parse(TransferAttempt.listing, [
    ["payment_id", id],
    ["status", "NEW"],
    ["limit", `${Limits.pageMaximum}`]
  ])
  const { data } = yield* Effect.orDie(
    Effect.flatMap(Effect.fromResult(asked), (of) => attempts.list(organisation_id, of))
  )
  const since = subtractTime(yield* organisationNow, reversalsBegunTogether)
  return data.some(
    (attempt) => TransferAttempt.isReversal(attempt) && DateTime.isGreaterThanOrEqualTo(attempt.created_at, since)
  )
})

/**
 * Owes whoever made a payment another summary of it, since what was given back of a part has changed; the last of the parts that
 * come back together does, so that nobody gets one for each of a hundred. The event of that is the recipient's, and this mail is
 * not. docs/decisions/0080.
 */
const correctSummary = Effect.fnUntraced(function* (services: Services, payment: Payment) {
  if (yield* isComingBack(services, payment)) return
  const { mails, tokens } = services
  const { id: subject_id, organisation_id } = payment
  const id = yield* tokens.id("mail")
  const given = { id, organisation_id, template: "payment_summary_correction", subject_id, recipient_id: null } as const
  yield* mails.add(Mail.create(given, yield* realNow))
})

/** Writes the gifts of recipients, each in its own organisation, in the surrounding transaction. money, section 6. */
export const makeRecipientGifts = Effect.map(services, (services) => ({
  donorAt: (id: OrganisationId, payment: Payment, occasion: Occasion) => donorAt(services, id, payment, occasion),
  write: (paid: PaidBy, transfer: Transfer, recipient: Recipient, occasion: Occasion) =>
    write(services, paid, transfer, recipient, occasion),
  confirm: (transfer: Transfer, occasion: Occasion) => confirm(services, transfer, occasion),
  fail: (transfer: Transfer, failure_code: string, occasion: Occasion) =>
    fail(services, transfer, failure_code, occasion),
  giveBack: (transfer: Transfer, reason: TransferAttempt.Cause | null, occasion: Occasion) =>
    giveBack(services, transfer, reason, occasion),
  correctSummary: (payment: Payment) => correctSummary(services, payment),
  /** The same where parts have come back, beside one that does not. */
  correctReturned: (payment: Payment) =>
    payment.allocations.some(({ transfer_status }) => transfer_status === "reversed")
      ? correctSummary(services, payment)
      : Effect.void,
  restore: (transfer: Transfer, occasion: Occasion) => restore(services, transfer, occasion),
  holdDonor: (transfer: Transfer) => holdDonor(services, transfer),
  anew: (failed: Donation.Donation, occasion: Occasion) => anew(services, failed, occasion)
}))
