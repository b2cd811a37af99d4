import { DateTime, Effect } from "effect"
import { ChargeId } from "../../domain/kernel/Ids.ts"
import { type CardGuard, newGuard } from "../../domain/payments/CardGuard.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import type { Transaction } from "../../ports/kernel/Transaction.ts"
import { CardGuardStore } from "../../ports/payments/CardGuardStore.ts"
import { newOrganisation } from "./Records.ts"
import { type Check, check, inTransaction, same, together, transactionOf } from "./Suite.ts"

/** Times far from those of other checks' guards. */
const at = (millis: number): DateTime.Utc => DateTime.makeUnsafe(Date.UTC(1970, 0, 1) + millis)

type Needs = CardGuardStore | OrganisationStore | Transaction

const world = Effect.gen(function* () {
  const [own, other] = [yield* newOrganisation(), yield* newOrganisation()]
  const guardOf = (subject: string, given: Partial<CardGuard> = {}): CardGuard => ({
    ...newGuard(own.id, { subject, credit: 30 }, at(0)),
    ...given
  })
  return { guardOf, other, own, store: yield* CardGuardStore }
})

/** The laws of {@link CardGuardStore}. */
export const cardGuards = (): ReadonlyArray<Check<Needs>> => [
  check(
    "guards are read back as they were written, in the order in which they are asked for, by their organisation alone",
    [],
    Effect.fnUntraced(function* () {
      const { guardOf, other, own, store } = yield* world
      same(yield* store.find(own.id, ["a", "b"]), [])
      const waiting = [1, 2].map((each) => ({
        charge_id: ChargeId.make(`chg_${String(each).padStart(26, "0")}`),
        since: at(each)
      }))
      const [a, b] = [
        guardOf("a", { credit: 4, closings: 1, closed_until: at(9) }),
        guardOf("b", { in_flight: 2, waiting, credit_at: at(3) })
      ]
      yield* inTransaction(
        Effect.gen(function* () {
          same(yield* store.findForUpdate([guardOf("b"), guardOf("a")]), [guardOf("b"), guardOf("a")])
          yield* store.replace([a, b])
        })
      )
      same(yield* inTransaction(store.findForUpdate([guardOf("b"), guardOf("a")])), [b, a])
      same(yield* store.find(own.id, ["a", "c"]), [a])
      same(yield* store.find(other.id, ["a", "b"]), [])
    })
  ),

  check(
    "of many that try a card at the same moment, the first ones included, each sees those before it",
    ["CardGuardStore.findForUpdate MUST let one transaction after the other read and replace them"],
    Effect.fnUntraced(function* () {
      const { guardOf, own, store } = yield* world
      const begin = transactionOf(function* () {
        const guards = yield* store.findForUpdate([guardOf("a"), guardOf("b")])
        yield* Effect.yieldNow
        yield* store.replace(guards.map((guard) => ({ ...guard, in_flight: guard.in_flight + 1 })))
        return guards.map(({ in_flight }) => in_flight)
      })
      const seen = yield* together(6, begin)
      same(
        seen.toSorted(([one = 0], [two = 0]) => one - two),
        [0, 1, 2, 3, 4, 5].map((each) => [each, each])
      )
      same(
        (yield* store.find(own.id, ["a"])).map(({ in_flight }) => in_flight),
        [6]
      )
    })
  ),

  check(
    "guards that say nothing any more are deleted, and none that is closed or was touched",
    [],
    Effect.fnUntraced(function* () {
      const { guardOf, own, store } = yield* world
      // Guards of other checks.
      while ((yield* store.trim(at(9), 1_000)) > 0) {}
      const kept = [guardOf("late", { begun_at: at(11) }), guardOf("closed", { closed_until: at(11) })]
      const guards = [guardOf("old"), guardOf("again", { closed_until: at(10) }), ...kept]
      yield* inTransaction(Effect.andThen(store.findForUpdate(guards), store.replace(guards)))
      same([yield* store.trim(at(10), 1), yield* store.trim(at(10), 10), yield* store.trim(at(10), 10)], [1, 1, 0])
      const left = yield* store.find(own.id, ["old", "again", "late", "closed"])
      same(left.map(({ subject }) => subject).toSorted(), ["closed", "late"])
    })
  )
]
