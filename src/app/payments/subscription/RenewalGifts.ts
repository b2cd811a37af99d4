import { Effect, Option, Schema } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import type { Donation } from "../../../domain/giving/Donation.ts"
import { InvoiceId } from "../../../domain/kernel/Ids.ts"
import type { Charge } from "../../../domain/payments/Charge.ts"
import type { Invoice } from "../../../domain/payments/Invoice.ts"
import { type Renewal, renewalGiftOf } from "../../../domain/payments/Renewal.ts"
import type { Subscription } from "../../../domain/payments/Subscription.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import { DonorStore } from "../../../ports/giving/DonorStore.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { InvoiceStore } from "../../../ports/payments/InvoiceStore.ts"
import { SubscriptionStore } from "../../../ports/payments/SubscriptionStore.ts"

/** The gift of a charge; one that pays an invoice has none until it ends. */
export interface GiftOfCharge {
  readonly gift: Donation | null
  readonly renewal: Renewal | null
}

const nothing: GiftOfCharge = { gift: null, renewal: null }

const readInvoice = Schema.decodeUnknownOption(InvoiceId)

/** Reads the gifts of charges that pay invoices, locked until the transaction ends. money, section 7. */
export const makeRenewalGifts = Effect.gen(function* () {
  const donations = yield* DonationStore
  const donors = yield* DonorStore
  const invoices = yield* InvoiceStore
  const subscriptions = yield* SubscriptionStore
  const tokens = yield* Tokens

  /**
   * The gift that the charge wrote when it ended. Later attempts that fail write none: money that comes of one after all goes
   * back beside the gift that failed first.
   */
  const written = Effect.fnUntraced(function* (charge: Charge, invoice: Invoice) {
    let failed: Donation | null = null
    for (const id of [invoice.donation_id, invoice.failed_donation_id]) {
      const found = id === null ? Option.none() : yield* donations.findForUpdate(charge.organisation_id, id)
      if (Option.isNone(found)) continue
      if (found.value.charge_id === charge.id) return { gift: found.value, renewal: null }
      failed = found.value
    }
    return { gift: failed?.status === "FAILED" ? { ...failed, charge_id: charge.id } : null, renewal: null }
  })

  /** The subscription, whose donor is locked against a merge: the gift may be about to be written. */
  const subscriptionOf = Effect.fnUntraced(function* (invoice: Invoice): Effect.fn.Return<Option.Option<Subscription>> {
    const { organisation_id, subscription_id } = invoice
    const seen = yield* subscriptions.find(organisation_id, subscription_id)
    if (Option.isNone(seen)) return seen
    yield* donors.findForShare(organisation_id, seen.value.donor_id)
    const again = yield* subscriptions.find(organisation_id, subscription_id)
    // One that was merged while it was waited for is looked up again.
    if (Option.exists(again, ({ donor_id }) => donor_id === seen.value.donor_id)) return again
    return yield* subscriptionOf(invoice)
  })

  return Effect.fnUntraced(function* (charge: Charge, { timezone }: Organisation) {
    const id = readInvoice(charge.subject_id)
    const invoice = Option.isSome(id) ? yield* invoices.find(charge.organisation_id, id.value) : Option.none()
    if (Option.isNone(invoice)) return nothing
    if (charge.ended_at !== null) {
      const after: GiftOfCharge = yield* written(charge, invoice.value)
      return after
    }
    const subscription = yield* subscriptionOf(invoice.value)
    if (Option.isNone(subscription)) return nothing
    const draft = renewalGiftOf(subscription.value, charge, { id: yield* tokens.id("donation"), timezone })
    const renewal: Renewal = { draft, isFirstFailure: invoice.value.failed_donation_id === null }
    const under: GiftOfCharge = { gift: null, renewal }
    return under
  })
})
