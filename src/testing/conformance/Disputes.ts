import { Effect } from "effect"
import fc from "fast-check"
import { Dispute, listing, Status } from "../../domain/payments/Dispute.ts"
import { DisputeStore } from "../../ports/payments/DisputeStore.ts"
import * as Generators from "../Generators.ts"
import { disputeOf, newCharge } from "./MoneyRecords.ts"
import { recordStore } from "./RecordStores.ts"
import { freshId } from "./Records.ts"
import { byId, same, type Thoroughness } from "./Suite.ts"

/** The laws of {@link DisputeStore}. */
export const disputes = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "disputes",
    port: DisputeStore,
    arbitrary: Generators.dispute,
    schema: Dispute,
    fresh: freshId("dispute"),
    parents: (organisation_id) => Effect.map(newCharge(organisation_id), ({ id }) => ({ charge_id: id })),
    answers: Effect.fnUntraced(function* (dispute, other) {
      const store = yield* DisputeStore
      same(yield* store.ofCharge(dispute.organisation_id, dispute.charge_id), [dispute])
      same(yield* store.ofCharge(other, dispute.charge_id), [])
    }),
    list: { spec: listing, few: fc.record({ status: fc.constantFrom(...Status.literals) }) }
  })(({ law }) => [
    law("the disputes of a charge are all of them, however they ended, and no other's", function* ({ store, id }) {
      const [charge, other] = [yield* newCharge(id), yield* newCharge(id)]
      same(yield* store.ofCharge(id, charge.id), [])
      const found = yield* Effect.forEach(Status.literals, (status) =>
        Effect.tap(disputeOf(charge, { status }), store.insert)
      )
      yield* store.insert(yield* disputeOf(other))
      same(byId(yield* store.ofCharge(id, charge.id)), byId(found))
    })
  ])
