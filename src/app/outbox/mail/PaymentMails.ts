import { Effect, Option, Schema } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { dayOf } from "../../../domain/kernel/CalendarDate.ts"
import { ChargeId, DonationId, InvoiceId, PaymentId } from "../../../domain/kernel/Ids.ts"
import type { Mail } from "../../../domain/kernel/Mail.ts"
import { publicUrl } from "../../../domain/kernel/PublicAddress.ts"
import { holds } from "../../../domain/kernel/Rule.ts"
import { paymentFailedMail, paymentProcessingMail } from "../../../domain/outbox/PaymentMail.ts"
import { lastDayOf } from "../../../domain/payments/BankTransfer.ts"
import { type Charge, unpaid } from "../../../domain/payments/Charge.ts"
import * as ProgressToken from "../../../domain/payments/ProgressToken.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import { PublicUrlTemplate } from "../../../ports/kernel/PublicUrlTemplate.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { InvoiceStore } from "../../../ports/payments/InvoiceStore.ts"
import { SubscriptionStore } from "../../../ports/payments/SubscriptionStore.ts"
import { PaymentStore } from "../../../ports/sharing/PaymentStore.ts"
import { makeCheckoutProgress } from "../../sharing/checkout/CheckoutProgress.ts"
import type { Compose } from "./Compose.ts"
import { type Giver, makeReaders } from "./Receipts.ts"

/** The charge of a mail, and who gave what it is for. */
const makePayments = Effect.gen(function* () {
  const charges = yield* ChargeStore
  const donations = yield* DonationStore
  const invoices = yield* InvoiceStore
  const payments = yield* PaymentStore
  const subscriptions = yield* SubscriptionStore
  const readerOf = yield* makeReaders
  const asCharge = Schema.decodeUnknownOption(ChargeId)
  const asGift = Schema.decodeUnknownOption(DonationId)
  const asInvoice = Schema.decodeUnknownOption(InvoiceId)
  const asPayment = Schema.decodeUnknownOption(PaymentId)

  /** The invoice that a charge is for, and its recurring gift. */
  const renewalOf = Effect.fnUntraced(function* ({ organisation_id, subject_id }: Charge) {
    const id = asInvoice(subject_id)
    const invoice = Option.isSome(id) ? yield* invoices.find(organisation_id, id.value) : Option.none()
    if (Option.isNone(invoice)) return Option.none()
    const subscription = yield* subscriptions.find(organisation_id, invoice.value.subscription_id)
    return Option.map(subscription, (found) => ({ invoice: invoice.value, subscription: found }))
  })

  const giverOf = Effect.fnUntraced(function* (charge: Charge) {
    const { organisation_id, subject_id } = charge
    const gift = asGift(subject_id)
    if (Option.isSome(gift)) return yield* donations.find(organisation_id, gift.value)
    const payment = asPayment(subject_id)
    if (Option.isSome(payment)) {
      const found = yield* payments.find(organisation_id, payment.value)
      return Option.map(found, (paid): Giver => ({ ...paid, donor_id: paid.link_donor_id ?? paid.donor_id }))
    }
    return Option.map(
      yield* renewalOf(charge),
      ({ subscription: { donor_id } }): Giver => ({ organisation_id, donor_id, submitted_donor: null })
    )
  })

  /** Where a mail of a charge goes; none where nobody is to be told, or has an address. */
  const of = Effect.fnUntraced(function* (mail: Mail, { id: organisation_id }: Organisation) {
    const id = asCharge(mail.subject_id)
    const charge = Option.isSome(id) ? yield* charges.find(organisation_id, id.value) : Option.none()
    const giver = Option.isSome(charge) ? yield* giverOf(charge.value) : Option.none()
    const reader = Option.isSome(giver) ? yield* readerOf(giver.value) : Option.none()
    return Option.map(Option.all({ charge, reader }), ({ charge, reader: { to } }) => ({ charge, to }))
  })

  return { of, renewalOf } as const
})

/** Makes the mails that follow payments which take days; nothing is said of one that has ended since. */
export const makePaymentProcessing = Effect.gen(function* () {
  const payments = yield* makePayments
  const progress = yield* makeCheckoutProgress
  const template = yield* PublicUrlTemplate

  const compose: Compose = Effect.fnUntraced(function* (mail, organisation) {
    const found = yield* payments.of(mail, organisation)
    if (Option.isNone(found)) return Option.none()
    const { charge, to } = found.value
    if (charge.status !== "WAITING" && charge.status !== "PROCESSING") return Option.none()
    const { next_step, progress_token } = yield* progress.submitted(charge)
    const page = {
      url: publicUrl(template, organisation.slug, ProgressToken.pagePath(progress_token)),
      expires_at: ProgressToken.endsAt(charge)
    }
    const last_day = lastDayOf(charge, organisation.timezone)
    return Option.some({ to, ...paymentProcessingMail({ organisation, charge, next_step, last_day, page }) })
  })
  return compose
})

/**
 * Makes the mails of payments that failed. Of a renewal that is tried several times, the first failure and the last are told;
 * nothing is said where the money came after all.
 */
export const makePaymentFailed = Effect.gen(function* () {
  const payments = yield* makePayments
  const progress = yield* makeCheckoutProgress
  const template = yield* PublicUrlTemplate

  /** What a donor is told of a renewal; none where an earlier mail said it. */
  const renewalOf = Effect.fnUntraced(function* (charge: Charge, organisation: Organisation) {
    const found = yield* payments.renewalOf(charge)
    if (Option.isNone(found)) return Option.none()
    const { invoice, subscription } = found.value
    if (invoice.charge_id !== charge.id || (invoice.next_attempt_at !== null && invoice.failures > 1))
      return Option.none()
    return Option.some({
      frequency: subscription.frequency,
      again_on: invoice.next_attempt_at === null ? null : dayOf(invoice.next_attempt_at, organisation.timezone),
      has_ended: subscription.status === "CANCELLED"
    })
  })

  const compose: Compose = Effect.fnUntraced(function* (mail, organisation) {
    const found = yield* payments.of(mail, organisation)
    if (Option.isNone(found) || !holds(unpaid, found.value.charge)) return Option.none()
    const { charge, to } = found.value
    const isRenewal = charge.purpose === "invoice"
    const renewal = isRenewal ? yield* renewalOf(charge, organisation) : Option.none()
    if (isRenewal && Option.isNone(renewal)) return Option.none()
    const path = isRenewal ? "/" : yield* progress.pathOf(charge)
    const page_url = path === "/" ? null : publicUrl(template, organisation.slug, path)
    return Option.some({
      to,
      ...paymentFailedMail({ organisation, charge, renewal: Option.getOrNull(renewal), page_url })
    })
  })
  return compose
})
