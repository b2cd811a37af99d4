import { Effect, Latch } from "effect"
import fc from "fast-check"
import * as Charge from "../../domain/payments/Charge.ts"
import { listing, Status } from "../../domain/payments/Dispute.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { ChargeStore } from "../../ports/payments/ChargeStore.ts"
import { DisputeStore } from "../../ports/payments/DisputeStore.ts"
import * as Generators from "../Generators.ts"
import { disputeOf, freshDisputeId, freshMandateId, newCharge } from "./MoneyRecords.ts"
import { recordStore } from "./RecordStores.ts"
import { newOrganisation } from "./Records.ts"
import { byId, same, type Thoroughness } from "./Suite.ts"

/** The laws of {@link DisputeStore}. */
export const disputes = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "disputes",
    port: DisputeStore,
    arbitrary: Generators.dispute,
    fresh: freshDisputeId,
    parents: (organisation_id) => Effect.map(newCharge(organisation_id), ({ id }) => ({ charge_id: id })),
    answers: Effect.fnUntraced(function* (dispute, other) {
      const store = yield* DisputeStore
      same(yield* store.ofCharge(dispute.organisation_id, dispute.charge_id), [dispute])
      same(yield* store.ofCharge(other, dispute.charge_id), [])
    }),
    list: { spec: listing, few: fc.record({ status: fc.constantFrom(...Status.literals) }) }
  })(({ law, must }) => [
    law("the disputes of a charge are all of them, however they ended, and no other's", function* ({ store, id }) {
      const [charge, other] = [yield* newCharge(id), yield* newCharge(id)]
      same(yield* store.ofCharge(id, charge.id), [])
      const found = yield* Effect.forEach(Status.literals, (status) =>
        Effect.tap(disputeOf(charge, { status }), store.insert)
      )
      yield* store.insert(yield* disputeOf(other))
      same(byId(yield* store.ofCharge(id, charge.id)), byId(found))
    }),

    must(
      "what hangs on a charge is told by its kind, also to who waited for the charge",
      ["ChargeStore.attached MUST see all that was committed before it was."],
      function* ({ id, other }) {
        const [store, charges, transaction] = [yield* DisputeStore, yield* ChargeStore, yield* Transaction]
        const [charge, sibling] = [yield* newCharge(id), yield* newCharge(id)]
        const nothing = { refunds: false, disputes: false, exceptions: false }
        same(yield* charges.attached(id, charge.id), nothing)
        const isHeld = yield* Latch.make()
        const holds = Effect.gen(function* () {
          yield* charges.findForUpdate(id, charge.id)
          yield* isHeld.open
          yield* store.insert(yield* disputeOf(charge))
        })
        const waits = Effect.gen(function* () {
          yield* isHeld.await
          yield* charges.findForUpdate(id, charge.id)
          return yield* charges.attached(id, charge.id)
        })
        const both = [transaction.run(holds), transaction.run(waits)] as const
        const [, seen] = yield* Effect.all(both, { concurrency: "unbounded" })
        same(seen, { ...nothing, disputes: true })
        same(yield* charges.attached(id, sibling.id), nothing)
        same(yield* charges.attached(other, charge.id), nothing)
      }
    ),

    law("the unsettled charges of a mandate have not ended, or a dispute of them is open", function* ({ id }) {
      const [store, charges] = [yield* DisputeStore, yield* ChargeStore]
      const mandate_id = yield* freshMandateId
      const made = yield* Effect.forEach(Charge.Status.literals, (status) => newCharge(id, { mandate_id, status }))
      const disputed = yield* Effect.forEach(Status.literals, (status) =>
        Effect.tap(newCharge(id, { mandate_id, status: "SUCCEEDED" }), (charge) =>
          Effect.flatMap(disputeOf(charge, { status }), store.insert)
        )
      )
      yield* newCharge(id, { mandate_id: yield* freshMandateId, status: "NEW" })
      const unended = made.filter(({ status }) => ["NEW", "WAITING", "PROCESSING"].includes(status))
      const open = disputed.filter((_, index) => Status.literals[index] === "OPEN")
      const ids = (all: ReadonlyArray<Charge.Charge>) => all.map((charge) => charge.id).toSorted()
      same(ids(yield* charges.unsettledOf(id, mandate_id)), ids([...unended, ...open]))
      same(yield* charges.unsettledOf((yield* newOrganisation()).id, mandate_id), [])
    })
  ])
