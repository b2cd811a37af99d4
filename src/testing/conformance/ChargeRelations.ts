import { Effect, Latch } from "effect"
import type { IntegrationId } from "../../domain/kernel/Ids.ts"
import { Status } from "../../domain/payments/Charge.ts"
import * as Dispute from "../../domain/payments/Dispute.ts"
import { DonationStore } from "../../ports/giving/DonationStore.ts"
import { RefundStore } from "../../ports/giving/RefundStore.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { ChargeStore } from "../../ports/payments/ChargeStore.ts"
import { DisputeStore } from "../../ports/payments/DisputeStore.ts"
import { PaymentExceptionStore } from "../../ports/payments/PaymentExceptionStore.ts"
import { refundOf } from "./Donations.ts"
import { chargeOf, disputeOf, exceptionOf, newCharge, newDonor, newIntegration } from "./MoneyRecords.ts"
import { donationOf, freshId } from "./Records.ts"
import { byId, lawsOf, same } from "./Suite.ts"

const { law, must } = lawsOf(ChargeStore)

/** The laws of what hangs on charges, and of those that are found by what they hang on. */
export const chargeRelations = [
  must(
    "what hangs on a charge is told by its kind, also to who waited for the charge",
    ["ChargeStore.attached MUST see all that was committed before it was."],
    function* ({ store, id, other }) {
      const [disputes, transaction] = [yield* DisputeStore, yield* Transaction]
      const [charge, sibling] = [yield* newCharge(id), yield* newCharge(id)]
      const nothing = { refunds: false, disputes: false, exceptions: false }
      same(yield* store.attached(id, charge.id), nothing)
      const isHeld = yield* Latch.make()
      const holds = Effect.gen(function* () {
        yield* store.findForUpdate(id, charge.id)
        yield* isHeld.open
        yield* disputes.insert(yield* disputeOf(charge))
      })
      const waits = Effect.gen(function* () {
        yield* isHeld.await
        yield* store.findForUpdate(id, charge.id)
        return yield* store.attached(id, charge.id)
      })
      const both = [transaction.run(holds), transaction.run(waits)] as const
      const [, seen] = yield* Effect.all(both, { concurrency: "unbounded" })
      same(seen, { ...nothing, disputes: true })
      same(yield* store.attached(id, sibling.id), nothing)
      same(yield* store.attached(other, charge.id), nothing)
      const { id: charge_id } = sibling
      yield* (yield* PaymentExceptionStore).insert(yield* exceptionOf(id, { charge_id }))
      same(yield* store.attached(id, charge_id), { ...nothing, exceptions: true })
      const gift = yield* Effect.tap(donationOf(yield* newDonor(id), { charge_id }), (yield* DonationStore).insert)
      yield* (yield* RefundStore).insert(yield* refundOf(gift, { charge_id }))
      same(yield* store.attached(id, charge_id), { refunds: true, disputes: false, exceptions: true })
    }
  ),

  law(
    "the unsettled charges of a mandate have not ended, or a dispute of them is open",
    function* ({ store, id, other }) {
      const disputes = yield* DisputeStore
      const mandate_id = yield* freshId("mandate")
      same(yield* store.unsettledOf(other, yield* freshId("mandate")), [])
      const made = yield* Effect.forEach(Status.literals, (status) => newCharge(id, { mandate_id, status }))
      const disputed = yield* Effect.forEach(Dispute.Status.literals, (status) =>
        Effect.tap(newCharge(id, { mandate_id, status: "SUCCEEDED" }), (charge) =>
          Effect.flatMap(disputeOf(charge, { status }), disputes.insert)
        )
      )
      yield* newCharge(id, { mandate_id: yield* freshId("mandate"), status: "NEW" })
      const unended = made.filter(({ status }) => ["NEW", "WAITING", "PROCESSING"].includes(status))
      const open = disputed.filter((_, index) => Dispute.Status.literals[index] === "OPEN")
      same(byId(yield* store.unsettledOf(id, mandate_id)), byId([...unended, ...open]))
      same(yield* store.unsettledOf(other, mandate_id), [])
    }
  ),

  law("an organisation's charges are found by their ids", function* ({ store, id, other }) {
    const [mine, second, theirs] = [yield* newCharge(id), yield* newCharge(id), yield* newCharge(other)]
    const ids = [mine.id, theirs.id]
    same(yield* store.ofIds(id, []), [])
    same(yield* store.ofIds(id, ids), [mine])
    same(yield* store.ofIds(other, ids), [theirs])
    same(byId(yield* store.ofIds(id, [...ids, second.id])), byId([mine, second]))
  }),

  law("an organisation's charges are found by references at accounts, each of them", function* ({ store, id, other }) {
    const [integration, elsewhere] = [yield* newIntegration(id), yield* newIntegration(id)]
    const charges = yield* Effect.forEach(["a", "b", "c", null], (reference) => chargeOf(integration, { reference }))
    const away = yield* chargeOf(elsewhere, { reference: "a" })
    for (const charge of [...charges, away]) yield* Effect.orDie(store.insert(charge))
    const found = (accounts: ReadonlyArray<IntegrationId>, references: ReadonlyArray<string>, of = id) =>
      Effect.map(store.ofReferences(of, accounts, references), byId)
    same(yield* found([integration.id], ["a", "b"], other), [])
    same(yield* found([integration.id], ["a", "b"]), byId(charges.slice(0, 2)))
    same(yield* found([elsewhere.id, integration.id], ["a"]), byId([...charges.slice(0, 1), away]))
    for (const none of [found([], ["a"]), found([integration.id], [])]) same(yield* none, [])
  })
]
