import { Effect } from "effect"
import { byWrit, Election, electionKey } from "../../domain/compliance/Election.ts"
import { CalendarDate } from "../../domain/kernel/CalendarDate.ts"
import { ElectionStore } from "../../ports/compliance/ElectionStore.ts"
import type { Transaction } from "../../ports/kernel/Transaction.ts"
import { type Check, check, same, together, transactionOf } from "./Suite.ts"

const electionOf = (jurisdiction: string, year: number): Election =>
  Election.make({
    jurisdiction,
    name: `${jurisdiction} of ${year}, “general”`,
    writ_on: CalendarDate.make(`${year}-04-17`),
    polling_on: CalendarDate.make(`${year}-05-20`)
  })

/** Of a jurisdiction that nobody else has. */
const own = [electionOf("QZ-B", 2040), electionOf("QZ-A", 2044), electionOf("QZ-A", 2040)]

const ours = Effect.map(
  ElectionStore.use(({ all }) => all),
  (all) => all.filter(({ jurisdiction }) => jurisdiction.startsWith("QZ-"))
)

/** The laws of {@link ElectionStore}. Others may be in it. */
export const elections = (): ReadonlyArray<Check<ElectionStore | Transaction>> => [
  check(
    "elections are read back as they were added, by jurisdiction and writ, and one that is taken out is gone",
    [],
    Effect.fnUntraced(function* () {
      const store = yield* ElectionStore
      for (const each of own) yield* store.add(each)
      same(yield* ours, own.toSorted(byWrit))
      const [first, ...others] = own
      if (first === undefined) return
      yield* store.remove(first)
      yield* store.remove(first)
      same(yield* ours, others.toSorted(byWrit))
      for (const each of others) yield* store.remove(each)
      same(yield* ours, [])
    })
  ),

  check(
    "of changes at the same moment, each after the first sees those before it",
    ["ElectionStore.allForUpdate MUST hold all of them against every other change until the transaction ends"],
    Effect.fnUntraced(function* () {
      const store = yield* ElectionStore
      const election = electionOf("QZ-C", 2040)
      const addOnce = transactionOf(function* () {
        const known = yield* store.allForUpdate
        if (known.some((each) => electionKey(each) === electionKey(election))) return false
        yield* store.add(election)
        return true
      })
      const added = yield* together(4, addOnce)
      yield* store.remove(election)
      same(
        added.filter((isAdded) => isAdded),
        [true]
      )
    })
  )
]
