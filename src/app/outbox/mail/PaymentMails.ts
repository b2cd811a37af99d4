import { Effect, Option, Schema } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { dayOf } from "../../../domain/kernel/CalendarDate.ts"
import { ChargeId, DonationId, InvoiceId, PaymentId } from "../../../domain/kernel/Ids.ts"
import type { Mail } from "../../../domain/kernel/Mail.ts"
import { publicUrl } from "../../../domain/kernel/PublicAddress.ts"
import { holds } from "../../../domain/kernel/Rule.ts"
import { type FailedRenewal, paymentFailedMail, paymentProcessingMail } from "../../../domain/outbox/PaymentMail.ts"
import { lastDayOf } from "../../../domain/payments/BankTransfer.ts"
import { type Charge, unpaid } from "../../../domain/payments/Charge.ts"
import type { Invoice } from "../../../domain/payments/Invoice.ts"
import * as ProgressToken from "../../../domain/payments/ProgressToken.ts"
import type { Subscription } from "../../../domain/payments/Subscription.ts"
import { payerOf } from "../../../domain/sharing/Payment.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import { PublicUrlTemplate } from "../../../ports/kernel/PublicUrlTemplate.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { InvoiceStore } from "../../../ports/payments/InvoiceStore.ts"
import { SubscriptionStore } from "../../../ports/payments/SubscriptionStore.ts"
import { PaymentStore } from "../../../ports/sharing/PaymentStore.ts"
import { makeCheckoutProgress } from "../../sharing/checkout/CheckoutProgress.ts"
import type { Compose } from "./Compose.ts"
import { type Giver, makeReaders } from "./Receipts.ts"

/** An invoice that a charge is for, and its recurring gift. */
interface Renewal {
  readonly invoice: Invoice
  readonly subscription: Subscription
}

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
    return Option.map(subscription, (found): Renewal => ({ invoice: invoice.value, subscription: found }))
  })

  const giverOf = Effect.fnUntraced(function* ({ organisation_id, subject_id }: Charge) {
    const gift = asGift(subject_id)
    if (Option.isSome(gift)) return yield* donations.find(organisation_id, gift.value)
    const id = asPayment(subject_id)
    const payment = Option.isSome(id) ? yield* payments.find(organisation_id, id.value) : Option.none()
    return Option.map(payment, (paid): Giver => ({ ...paid, donor_id: payerOf(paid) }))
  })

  /**
   * The charge of a mail, where its mail goes, and the renewal that it is for; none where it is not to be told, or nobody has an
   * address.
   */
  const of = Effect.fnUntraced(function* (
    mail: Mail,
    { id: organisation_id }: Organisation,
    isTold: (charge: Charge) => boolean
  ) {
    const id = asCharge(mail.subject_id)
    const found = Option.isSome(id) ? yield* charges.find(organisation_id, id.value) : Option.none()
    const charge = Option.filter(found, isTold)
    if (Option.isNone(charge)) return Option.none()
    const renewal = yield* renewalOf(charge.value)
    const giver = Option.isSome(renewal)
      ? Option.some<Giver>({ ...renewal.value.subscription, submitted_donor: null })
      : yield* giverOf(charge.value)
    const reader = Option.isSome(giver) ? yield* readerOf(giver.value) : Option.none()
    return Option.map(reader, ({ language, to }) => {
      return { charge: charge.value, language, to, renewal: Option.getOrNull(renewal) }
    })
  })

  return { of } as const
})

/** Makes the mails that follow payments which take days; nothing is said of one that has ended since. */
export const makePaymentProcessing = Effect.gen(function* () {
  const payments = yield* makePayments
  const progress = yield* makeCheckoutProgress
  const template = yield* PublicUrlTemplate

  const compose: Compose = Effect.fnUntraced(function* (mail, organisation) {
    const found = yield* payments.of(
      mail,
      organisation,
      ({ status }) => status === "WAITING" || status === "PROCESSING"
    )
    if (Option.isNone(found)) return Option.none()
    const { charge, language, to } = found.value
    const { next_step, progress_token } = yield* progress.submitted(charge)
    const page = {
      url: publicUrl(template, organisation.slug, ProgressToken.pagePath(progress_token)),
      expires_at: ProgressToken.endsAt(charge)
    }
    const last_day = lastDayOf(charge, organisation.timezone)
    return Option.some({ to, ...paymentProcessingMail({ language, organisation, charge, next_step, last_day, page }) })
  })
  return compose
})

/** Whether a failure of a renewal is told: the first, and the last, which no other try follows. */
const isToldOf = ({ invoice }: Renewal, charge: Charge): boolean =>
  invoice.charge_id === charge.id && (invoice.next_attempt_at === null || invoice.failures <= 1)

const failedRenewal = ({ invoice, subscription }: Renewal, { timezone }: Organisation): FailedRenewal => ({
  frequency: subscription.frequency,
  again_on: invoice.next_attempt_at === null ? null : dayOf(invoice.next_attempt_at, timezone),
  has_ended: subscription.status === "CANCELLED"
})

/**
 * Makes the mails of payments that failed. Of a renewal that is tried several times, the first failure and the last are told;
 * nothing is said where the money came after all.
 */
export const makePaymentFailed = Effect.gen(function* () {
  const payments = yield* makePayments
  const progress = yield* makeCheckoutProgress
  const template = yield* PublicUrlTemplate

  const compose: Compose = Effect.fnUntraced(function* (mail, organisation) {
    const found = yield* payments.of(mail, organisation, (charge) => holds(unpaid, charge))
    if (Option.isNone(found)) return Option.none()
    const { charge, language, renewal, to } = found.value
    if (renewal !== null && !isToldOf(renewal, charge)) return Option.none()
    const path = renewal === null ? yield* progress.pathOf(charge) : "/"
    const page_url = path === "/" ? null : publicUrl(template, organisation.slug, path)
    const failed = renewal === null ? null : failedRenewal(renewal, organisation)
    return Option.some({ to, ...paymentFailedMail({ language, organisation, charge, renewal: failed, page_url }) })
  })
  return compose
})
