import { Effect, Option, Schema } from "effect"
import { crosses } from "../../../domain/compliance/Regime.ts"
import type { SubmittedDonor } from "../../../domain/giving/Donor.ts"
import { receiptAddress } from "../../../domain/giving/GivingSettings.ts"
import { isRefunded } from "../../../domain/giving/SharedRefund.ts"
import { dayOf } from "../../../domain/kernel/CalendarDate.ts"
import { DonationId, type DonorId, type OrganisationId, PaymentId, SubscriptionId } from "../../../domain/kernel/Ids.ts"
import { languageOf } from "../../../domain/kernel/Language.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { paymentSummaryMail, receiptMail, yearlySummaryMail } from "../../../domain/outbox/ReceiptMail.ts"
import { readSubject, yearOf } from "../../../domain/outbox/YearlySummary.ts"
import { type Payment, payerOf } from "../../../domain/sharing/Payment.ts"
import { isGiven, type Transfer } from "../../../domain/sharing/Transfer.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { DisclosureStore } from "../../../ports/compliance/DisclosureStore.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import { DonorStore } from "../../../ports/giving/DonorStore.ts"
import { GivingSettingsStore } from "../../../ports/giving/GivingSettingsStore.ts"
import { RefundStore } from "../../../ports/giving/RefundStore.ts"
import { YearlySummaryStore } from "../../../ports/outbox/YearlySummaryStore.ts"
import { SubscriptionStore } from "../../../ports/payments/SubscriptionStore.ts"
import { PaymentStore } from "../../../ports/sharing/PaymentStore.ts"
import { makeSurvivors } from "../../giving/donor/MergedDonor.ts"
import type { Compose } from "./Compose.ts"

/** What is known of who gave: what was typed for the gift, in which language, and the donor's record. */
export interface Giver {
  readonly organisation_id: OrganisationId
  readonly donor_id: DonorId | null
  readonly submitted_donor: typeof SubmittedDonor.Type | null
  readonly language: string | null
}

/**
 * Where a receipt goes, and by which name: as it was typed for the gift, and else as the donor's record has it; and in which
 * language.
 */
export const makeReaders = Effect.gen(function* () {
  const donors = yield* DonorStore
  const settings = yield* GivingSettingsStore

  return Effect.fnUntraced(function* ({ donor_id, language: kept, organisation_id, submitted_donor: typed }: Giver) {
    const recorded = donor_id === null ? Effect.succeedNone : donors.find(organisation_id, donor_id)
    const [said, found] = yield* Effect.all([settings.of(organisation_id), recorded], { concurrency: "unbounded" })
    const donor = Option.getOrNull(found)
    const to = receiptAddress(said, typed, donor)
    const donor_name = typed?.first_name ?? donor?.first_name ?? null
    const language = languageOf(kept)
    return to === null ? Option.none() : Option.some({ to, donor_name, language, settings: said })
  })
})

/** Makes receipts of gifts that arrived. Nothing is said where receipts are switched off, or where nobody has an address. */
export const makeReceipt = Effect.fnUntraced(function* (is_correction: boolean) {
  const donations = yield* DonationStore
  const subscriptions = yield* SubscriptionStore
  const disclosures = yield* DisclosureStore
  const readerOf = yield* makeReaders
  const asId = Schema.decodeUnknownOption(DonationId)
  const asSubscription = Schema.decodeUnknownOption(SubscriptionId)

  const frequencyOf = Effect.fnUntraced(function* (organisation_id: OrganisationId, subscription_id: string | null) {
    const id = asSubscription(subscription_id)
    const found = Option.isSome(id) ? yield* subscriptions.find(organisation_id, id.value) : Option.none()
    return Option.match(found, { onNone: () => null, onSome: ({ frequency }) => frequency })
  })

  const compose: Compose = Effect.fnUntraced(function* (mail, organisation, now) {
    const id = asId(mail.subject_id)
    const found = Option.isSome(id) ? yield* donations.find(organisation.id, id.value) : Option.none()
    if (Option.isNone(found) || found.value.deleted_at !== null) return Option.none()
    const gift = found.value
    const [reader, frequency, disclosed] = yield* Effect.all(
      [
        readerOf(gift),
        frequencyOf(organisation.id, gift.subscription_id),
        disclosures.ofDonor(organisation.id, gift.donor_id)
      ],
      { concurrency: "unbounded" }
    )
    if (Option.isNone(reader)) return Option.none()
    const { to, ...said } = reader.value
    // One that the threshold asks for no more may stay, for what was lodged, or as cancelled.
    const is_disclosed = disclosed.some(
      (each) => crosses(each, each.total_cents) && each.donation_ids.includes(gift.id)
    )
    const is_year_over = yearOf(gift.donation_day).ends_on < dayOf(now, organisation.timezone)
    const facts = { ...said, organisation, gift, frequency, is_correction, is_disclosed, is_year_over }
    return Option.some({ to, ...receiptMail(facts) })
  })
  return compose
})

/** Makes the summaries of payments to sets, for whoever paid. */
export const makePaymentSummary = Effect.fnUntraced(function* (is_correction: boolean) {
  const donations = yield* DonationStore
  const refunds = yield* RefundStore
  const payments = yield* PaymentStore
  const organisations = yield* OrganisationStore
  const readerOf = yield* makeReaders
  const asId = Schema.decodeUnknownOption(PaymentId)

  /** What a recipient gave back, or the donor got of a part that did not reach its recipient. */
  const givenBack = Effect.fnUntraced(function* (payment: Payment, share: Transfer) {
    const { donation_id, gross_amount_cents, recipient_organisation_id } = share
    if (donation_id === null) return 0
    const gift = yield* donations.find(recipient_organisation_id, donation_id)
    const returned = Option.match(gift, { onNone: () => 0, onSome: (found) => found.refunded_amount_cents })
    if (returned > 0) return returned
    const rows = yield* refunds.ofDonation(payment.organisation_id, donation_id)
    return isRefunded(rows, share) ? gross_amount_cents : 0
  })

  const compose: Compose = Effect.fnUntraced(function* (mail, organisation) {
    const id = asId(mail.subject_id)
    const found = Option.isSome(id) ? yield* payments.find(organisation.id, id.value) : Option.none()
    if (Option.isNone(found)) return Option.none()
    const payment = found.value
    const reader = yield* readerOf({ ...payment, donor_id: payerOf(payment) })
    if (Option.isNone(reader)) return Option.none()
    const shares = yield* Effect.forEach(
      payment.allocations.filter(isGiven),
      Effect.fnUntraced(function* (share) {
        const recipient = yield* organisations.find(share.recipient_organisation_id)
        return {
          recipient_name: Option.match(recipient, { onNone: () => "", onSome: ({ name }) => name }),
          amount_cents: share.gross_amount_cents,
          refunded_amount_cents: yield* givenBack(payment, share)
        }
      })
    )
    const { donor_name, language, to } = reader.value
    const day = dayOf(payment.succeeded_at ?? payment.created_at, organisation.timezone)
    const facts = { language, organisation, payment, day, donor_name, shares, is_correction }
    return Option.some({ to, ...paymentSummaryMail(facts) })
  })
  return compose
})

/**
 * Makes the summaries of financial years, for donors as their records are now. What belonged to a donor who was merged since is
 * told to who took over.
 */
export const makeYearlySummary = Effect.gen(function* () {
  const store = yield* YearlySummaryStore
  const donors = yield* DonorStore
  const readerOf = yield* makeReaders
  const survivorOf = yield* makeSurvivors

  const compose: Compose = Effect.fnUntraced(function* (mail, organisation) {
    const subject = readSubject(mail.subject_id)
    if (Option.isNone(subject)) return Option.none()
    const { again_on, donor_id: named, year } = subject.value
    const giver = yield* donors.find(organisation.id, named)
    const found = Option.isSome(giver) ? yield* survivorOf(giver.value) : giver
    if (Option.isNone(found)) return Option.none()
    const { id: donor_id } = found.value
    const language = Option.getOrNull(yield* store.languageOf(organisation.id, donor_id, year))
    const reader = yield* readerOf({ organisation_id: organisation.id, donor_id, submitted_donor: null, language })
    const gifts = yield* store.giftsOf(organisation.id, donor_id, year, Limits.summaryGifts)
    if (Option.isNone(reader) || gifts.length === 0) return Option.none()
    const { to, ...said } = reader.value
    const sums = yield* store.sumsOf(organisation.id, donor_id, year)
    const is_again = again_on !== null || donor_id !== named
    return Option.some({ to, ...yearlySummaryMail({ ...said, organisation, year, gifts, sums, is_again }) })
  })
  return compose
})
