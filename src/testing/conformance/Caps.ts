import { Effect } from "effect"
import { submittedOf } from "../../domain/giving/CheckoutDonor.ts"
import type { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { CapStore, type Giver } from "../../ports/compliance/CapStore.ts"
import { DefaultCodeStore } from "../../ports/compliance/DefaultCodeStore.ts"
import { DonationStore } from "../../ports/giving/DonationStore.ts"
import type { DonorStore } from "../../ports/giving/DonorStore.ts"
import type { RevenueCodeStore } from "../../ports/giving/RevenueCodeStore.ts"
import type { Transaction } from "../../ports/kernel/Transaction.ts"
import type { ChargeStore } from "../../ports/payments/ChargeStore.ts"
import { InvoiceStore } from "../../ports/payments/InvoiceStore.ts"
import { SubscriptionStore } from "../../ports/payments/SubscriptionStore.ts"
import { PaymentStore } from "../../ports/sharing/PaymentStore.ts"
import type { RecipientAccountStore } from "../../ports/sharing/RecipientAccountStore.ts"
import { RecommendationSetStore } from "../../ports/sharing/RecommendationSetStore.ts"
import { newCode } from "./DisclosureRecords.ts"
import { invoiceOf, newCharge, newDonor, newLink, paymentOf, setOf, subscriptionOf } from "./MoneyRecords.ts"
import { at, donationOf, newOrganisation, storedIn } from "./Records.ts"
import { type Check, check, same, transactionOf, twice } from "./Suite.ts"

type Needs =
  | CapStore
  | ChargeStore
  | DefaultCodeStore
  | DonationStore
  | DonorStore
  | IntegrationStore
  | InvoiceStore
  | OrganisationStore
  | PaymentStore
  | RecipientAccountStore
  | RecommendationSetStore
  | RevenueCodeStore
  | SubscriptionStore
  | Transaction

/** A donor with gifts under way, some of them from the address of a donor who was merged into this one. */
const underWay = Effect.gen(function* () {
  const [organisation, sender] = [yield* newOrganisation(), yield* newOrganisation()]
  const { id } = organisation
  const [federal, none] = [yield* newCode(id, "federal", "AU"), yield* newCode(id, "none", null)]
  const ada = yield* newDonor(id, { email: "ada@example.org" })
  const former = "ada@former.example"
  const merged = { archived_at: at(0), merged_into_donor_id: ada.id, email: former }
  yield* newDonor(id, merged)
  const stranger = yield* newDonor(id, { email: "eve@example.org" })
  const gifts = [
    { amount_cents: 1, revenue_code_id: federal.id },
    { amount_cents: 2, source: "RECOMMENDATION_SET" },
    { amount_cents: 10, revenue_code_id: none.id },
    { amount_cents: 20 },
    { amount_cents: 30, revenue_code_id: federal.id, deleted_at: at(0) },
    { amount_cents: 40, revenue_code_id: federal.id, status: "CONFIRMED" },
    { amount_cents: 50, revenue_code_id: federal.id, status: "FAILED" }
  ] as const
  const code = { organisation_id: id, recipient_account_link_id: null, revenue_code_id: federal.id, created_at: at(0) }
  yield* DefaultCodeStore.use((codes) => codes.set(code))
  for (const given of gifts) {
    yield* storedIn(DonationStore, donationOf(ada, { status: "PENDING", ...given }))
  }
  for (const [amount_cents, ended_at] of [
    [3, null],
    [60, at(1)]
  ] as const) {
    const given = { amount_cents, revenue_code_id: federal.id }
    const subscription = yield* storedIn(SubscriptionStore, subscriptionOf(ada, given))
    const charge = yield* newCharge(id, { purpose: "invoice", amount_cents, ended_at })
    yield* storedIn(InvoiceStore, invoiceOf(subscription, { charge_id: charge.id }))
  }
  const link = yield* newLink(sender.id, organisation)
  const set = yield* storedIn(RecommendationSetStore, setOf(sender.id, [link]))
  const byLink = yield* newDonor(sender.id, { email: "Ada@Example.org" })
  const payers = [
    { submitted_donor: submittedOf({ email: "ADA@Example.org" }) },
    { submitted_donor: submittedOf({ email: former }), payment_status: "AWAITING_FUNDS" },
    { link_donor_id: byLink.id },
    { submitted_donor: submittedOf({ email: "ada@example.org" }), payment_status: "FAILED" },
    { submitted_donor: submittedOf({ email: "ada@example.org" }), payment_status: "SUCCEEDED" },
    { submitted_donor: submittedOf({ email: "else@example.org" }) },
    { submitted_donor: null }
  ] as const
  for (const given of payers) yield* storedIn(PaymentStore, paymentOf(set, [link], given))
  return { organisation, ada, former, stranger }
})

/** The laws of {@link CapStore}. */
export const caps = (): ReadonlyArray<Check<Needs>> => [
  check(
    "what is set about caps is read back, of its own organisation and donor alone",
    ["CapStore.isBlocking MUST be false where nothing was set", "CapStore.kindOf MUST be ANY where nothing was set"],
    Effect.fnUntraced(function* () {
      const store = yield* CapStore
      const [{ id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
      const [body, donor] = [yield* newDonor(id), yield* newDonor(id)]
      same([yield* store.isBlocking(id), yield* store.kindOf(id, body.id)], [false, "ANY"])
      for (const isSet of [true, true, false, false]) {
        const kind = isSet ? "PEAK_BODY" : "ANY"
        yield* store.setBlocking(id, isSet)
        yield* store.setKind(id, body.id, kind)
        same([yield* store.isBlocking(id), yield* store.kindOf(id, body.id)], [isSet, kind])
        same([yield* store.isBlocking(other.id), yield* store.kindOf(id, donor.id)], [false, "ANY"])
        same(yield* store.kindOf(other.id, body.id), "ANY")
      }
    }, twice)
  ),
  check(
    "gifts under way are the giver's own, renewals that are charged, and parts of payments from the giver's addresses",
    [
      "CapStore.pendingGifts MUST leave out those whose codes are assigned to no jurisdiction",
      "CapStore.pendingGifts MUST see what the transaction wrote itself"
    ],
    () =>
      twice(
        transactionOf(function* () {
          const store = yield* CapStore
          const { ada, organisation, stranger, ...made } = yield* underWay
          const amounts = (giver: Giver) =>
            Effect.map(store.pendingGifts(organisation.id, giver), (gifts) =>
              gifts.map(({ amount_cents, jurisdiction }) => `${jurisdiction} ${amount_cents}`).toSorted()
            )
          const own = ["AU 1", "AU 2", "AU 3"]
          const parts = ["AU 1000", "AU 1000", "AU 1000"]
          same(yield* amounts({ donor_id: ada.id, email: null }), [...own, ...parts].toSorted())
          same(yield* amounts({ donor_id: null, email: made.former }), ["AU 1000"])
          same(yield* amounts({ donor_id: null, email: "nobody@example.org" }), [])
          same(yield* amounts({ donor_id: stranger.id, email: null }), [])
          const [first] = yield* store.pendingGifts(organisation.id, { donor_id: null, email: made.former })
          same(first, {
            amount_cents: 1000,
            currency: "AUD",
            payment_method: "card",
            donation_date: at(0),
            jurisdiction: "AU"
          })
        })
      )
  )
]
