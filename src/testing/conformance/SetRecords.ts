import { Effect } from "effect"
import type { Organisation } from "../../domain/access/Organisation.ts"
import {
  AllocationId,
  type OrganisationId,
  PaymentAllocationId,
  PaymentId,
  RecommendationSetId
} from "../../domain/kernel/Ids.ts"
import { Payment } from "../../domain/sharing/Payment.ts"
import type { RecipientAccount } from "../../domain/sharing/RecipientAccount.ts"
import { RecommendationSet } from "../../domain/sharing/RecommendationSet.ts"
import type { Transfer } from "../../domain/sharing/Transfer.ts"
import { RecipientAccountStore } from "../../ports/sharing/RecipientAccountStore.ts"
import { freshId, linkOf, recordOf } from "./Records.ts"

export const freshSetId = Effect.map(freshId("recommendationSet"), (id) => RecommendationSetId.make(id))
export const freshUrlKey = freshId("request")
export const freshPaymentId = Effect.map(freshId("payment"), (id) => PaymentId.make(id))

/** A stored link to an account of `recipient`. */
export const newLink = Effect.fnUntraced(function* (
  organisation_id: OrganisationId,
  recipient: Organisation,
  given: Partial<RecipientAccount> = {}
) {
  const link = yield* linkOf(organisation_id, recipient, given)
  yield* (yield* RecipientAccountStore).insert(link)
  return link
})

/** A set that is not stored yet, with an allocation of 1000, 2000, … for each of the links in their order. */
export const setOf = Effect.fnUntraced(function* (
  organisation_id: OrganisationId,
  links: ReadonlyArray<RecipientAccount>,
  given: Partial<RecommendationSet> = {}
) {
  const allocations = yield* Effect.forEach(links, ({ id }, index) =>
    Effect.map(freshId("allocation"), (fresh) => ({
      id: AllocationId.make(fresh),
      recipient_org_account_link_id: id,
      amount_cents: 1000 * (index + 1)
    }))
  )
  const id = yield* freshSetId
  return recordOf(RecommendationSet, given, {
    id,
    organisation_id,
    name: "Harvest",
    slug: id.replace("_", "-"),
    url_key: yield* freshUrlKey,
    is_active: true,
    amount_mode: "SUGGESTED",
    allocations
  })
})

const transferTo = Effect.fnUntraced(function* (link: RecipientAccount, gross_amount_cents: number) {
  const transfer: Transfer = {
    id: PaymentAllocationId.make(yield* freshId("paymentAllocation")),
    recipient_org_account_link_id: link.id,
    recipient_organisation_id: link.recipient_organisation_id,
    gross_amount_cents,
    net_amount_cents: gross_amount_cents - 10,
    transfer_status: "pending",
    donation_id: null,
    failure_code: null,
    processor_reference: null,
    series: 1,
    retry_count: 0,
    succeeded_at: null,
    failed_at: null,
    reversed_at: null
  }
  return transfer
})

/** A payment that is not stored yet, of 1000 to each of the links. */
export const paymentOf = Effect.fnUntraced(function* (
  set: RecommendationSet,
  links: ReadonlyArray<RecipientAccount>,
  given: Partial<Payment> = {}
) {
  return recordOf(Payment, given, {
    id: yield* freshPaymentId,
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
