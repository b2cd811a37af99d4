import { DateTime, Effect } from "effect"
import { ChargeId, type OrganisationId } from "../../domain/kernel/Ids.ts"
import { type CardGuard, newGuard } from "../../domain/payments/CardGuard.ts"
import { CardGuardStore } from "../../ports/payments/CardGuardStore.ts"
import { inTransaction, lawsOf, same, suite, together, transactionOf } from "./Suite.ts"

/** Times far from those of other checks' guards. */
const at = (millis: number): DateTime.Utc => DateTime.makeUnsafe(Date.UTC(1970, 0, 1) + millis)

const guardOf = (organisation_id: OrganisationId, subject: string, given: Partial<CardGuard> = {}): CardGuard => ({
  ...newGuard(organisation_id, { subject, credit: 30 }, at(0)),
  ...given
})

const { law, must } = lawsOf(CardGuardStore)

/** The laws of {@link CardGuardStore}. */
export const cardGuards = () =>
  suite([
    law(
      "guards are read back as they were written, in the order in which they are asked for, by their organisation alone",
      function* ({ store, id, other }) {
        same(yield* store.find(id, ["a", "b"]), [])
        const waiting = [1, 2].map((each) => ({
          charge_id: ChargeId.make(`chg_${String(each).padStart(26, "0")}`),
          since: at(each)
        }))
        const closed = { credit: 4, credit_at: at(3), closings: 1, closed_until: at(9) }
        const [a, b] = [
          guardOf(id, "a", { ...closed, under_way: [at(5), at(5), at(4)], waiting }),
          guardOf(id, "b", { under_way: [at(6)] })
        ]
        yield* inTransaction(
          Effect.gen(function* () {
            same(yield* store.findForUpdate([guardOf(id, "b"), guardOf(id, "a")]), [guardOf(id, "b"), guardOf(id, "a")])
            yield* store.replace([a, b])
          })
        )
        same(yield* inTransaction(store.findForUpdate([guardOf(id, "b"), guardOf(id, "a")])), [b, a])
        same(yield* store.find(id, ["a", "c"]), [a])
        same(yield* store.find(other, ["a", "b"]), [])
      }
    ),

    must(
      "of many that try a card at the same moment, the first ones included, each sees those before it",
      ["CardGuardStore.findForUpdate MUST let one transaction after the other read and replace them"],
      function* ({ store, id }) {
        const begin = transactionOf(function* () {
          const guards = yield* store.findForUpdate([guardOf(id, "a"), guardOf(id, "b")])
          yield* Effect.yieldNow
          yield* store.replace(guards.map((guard) => ({ ...guard, under_way: [...guard.under_way, at(1)] })))
          return guards.map(({ under_way }) => under_way.length)
        })
        const seen = yield* together(6, begin)
        same(
          seen.toSorted(([one = 0], [two = 0]) => one - two),
          [0, 1, 2, 3, 4, 5].map((each) => [each, each])
        )
        same(
          (yield* store.find(id, ["a"])).map(({ under_way }) => under_way.length),
          [6]
        )
      }
    ),

    law(
      "guards that say nothing any more are deleted, and none that is closed or was touched",
      function* ({ store, id }) {
        // Guards of other checks.
        while ((yield* store.trim(at(9), 1_000)) > 0) {}
        const kept = [guardOf(id, "late", { begun_at: at(11) }), guardOf(id, "closed", { closed_until: at(11) })]
        const guards = [guardOf(id, "old"), guardOf(id, "again", { closed_until: at(10) }), ...kept]
        yield* inTransaction(Effect.andThen(store.findForUpdate(guards), store.replace(guards)))
        same([yield* store.trim(at(10), 1), yield* store.trim(at(10), 10), yield* store.trim(at(10), 10)], [1, 1, 0])
        const left = yield* store.find(id, ["old", "again", "late", "closed"])
        same(left.map(({ subject }) => subject).toSorted(), ["closed", "late"])
      }
    )
  ])
