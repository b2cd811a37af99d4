import { Effect, Option } from "effect"
import fc from "fast-check"
import { CalendarDate } from "../../domain/kernel/CalendarDate.ts"
import type { IntegrationId, OrganisationId } from "../../domain/kernel/Ids.ts"
import { Credit, listing } from "../../domain/payments/Credit.ts"
import type { ImportedStatement } from "../../domain/payments/ImportedStatement.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { CreditStore } from "../../ports/payments/CreditStore.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import { storedRecord } from "../Generators.ts"
import { newCharge, newIntegration } from "./MoneyRecords.ts"
import { recordStore } from "./RecordStores.ts"
import { at, freshId } from "./Records.ts"
import { byId, lawsOf, none, same, type Thoroughness } from "./Suite.ts"

const { must } = lawsOf(CreditStore)

const any = fc
  .tuple(arbitraryOf(Credit), fc.integer({ min: 1, max: 5_000 }), fc.nat(3).map(at))
  .map(([credit, number, created_at]): Credit => ({ ...storedRecord(credit), number, created_at, charge_id: null }))

const dayOf = (n: number) => CalendarDate.make(`2026-01-0${n}`)

const example = fc.sample(any, { numRuns: 1, seed: 1 })

/** A credit of an account, which is not stored yet. */
export const creditOf = Effect.fnUntraced(function* (
  organisation_id: OrganisationId,
  integration_id: IntegrationId,
  given: Partial<Credit> = {}
) {
  const [drafted] = example
  if (drafted === undefined) throw new Error("There is no credit to try")
  const id = yield* freshId("credit")
  const credit: Credit = { ...drafted, id, organisation_id, integration_id, ...given }
  return credit
})

/** The ids of the lines that were kept, in order. */
const added = (organisation_id: OrganisationId, lines: ReadonlyArray<Credit>) =>
  CreditStore.use((store) => Effect.map(store.add(organisation_id, lines), (ids) => Array.from<string>(ids).toSorted()))

const once =
  "CreditStore.add MUST keep a line once for its account and once for its integration, by digest and number, also where others bring it at the same moment: it waits for them."

const lines = [
  must("a line is kept once for its account and once for its integration", [once], function* ({ id, other }) {
    const [here, there] = [yield* newIntegration(id), yield* newIntegration(id)]
    const elsewhere = yield* newIntegration(other)
    const line = (integration_id: IntegrationId, more: Partial<Credit>, organisation_id = id) =>
      creditOf(organisation_id, integration_id, { account: "a", digest: "d", number: 1, ...more })
    const first = yield* line(here.id, {})
    const rest = yield* Effect.all([
      line(here.id, {}),
      line(here.id, { account: "b" }),
      line(there.id, {}),
      line(there.id, { account: "b" }),
      line(here.id, { number: 2 }),
      line(here.id, { digest: "e" })
    ])
    const [, , , anew, next, different] = rest
    same(yield* added(id, [first]), [first.id])
    same(yield* added(id, rest), [anew.id, next.id, different.id].toSorted())
    same(yield* added(id, [first, ...rest]), [])
    const foreign = yield* line(elsewhere.id, {}, other)
    same(yield* added(other, [foreign]), [foreign.id])
    same(yield* added(id, []), [])
  }),

  must("of several that bring lines at the same moment, each line is one's", [once], function* ({ store, id }) {
    const { run } = yield* Transaction
    const { id: integration_id } = yield* newIntegration(id)
    const digests = ["a", "b", "c", "d", "e", "f"]
    const drafts = yield* Effect.forEach([digests, digests.toReversed(), digests], (order) =>
      Effect.forEach(order, (digest) => creditOf(id, integration_id, { account: "x", digest, number: 1 }))
    )
    const kept = yield* Effect.forEach(drafts, (each) => run(store.add(id, each)), { concurrency: "unbounded" })
    const won = kept.flatMap((ids) => Array.from<string>(ids))
    const lines = drafts.flat().filter((credit) => won.includes(credit.id))
    same(
      lines.map(({ digest }) => digest).toSorted((a, b) => (a < b ? -1 : 1)),
      digests
    )
  }),

  must(
    "lines are found by their days, by the bank's ids and by the file they came with, in order",
    [
      "CreditStore.ofDays MUST answer the lines of the account or the integration, by days and by ids of the bank's",
      "CreditStore.ofImport MUST answer the lines that came with a file"
    ],
    function* ({ store, id, other }) {
      const [here, there] = [yield* newIntegration(id), yield* newIntegration(id)]
      const line = (given: Partial<Credit>) =>
        creditOf(id, there.id, { account: "a", bank_id: null, import_id: null, day: dayOf(3), ...given })
      const [early, first, second, named, elsewhere] = yield* Effect.all([
        line({ day: dayOf(1), digest: "1" }),
        line({ day: dayOf(2), digest: "2", import_id: "imp", voided_at: at(1) }),
        line({ day: dayOf(3), digest: "3", integration_id: here.id, account: "b", import_id: "imp" }),
        line({ day: dayOf(4), digest: "4", bank_id: "n" }),
        line({ digest: "5", account: "b" })
      ])
      yield* added(id, [named, second, elsewhere, first, early])
      const asked = { account: "a", integration_id: here.id, first: dayOf(2), last: dayOf(3), bank_ids: ["n", "m"] }
      const bare = { account: "b", integration_id: there.id, first: dayOf(1), last: dayOf(1), bank_ids: [] }
      same(yield* store.ofDays(id, bare), [early])
      same(yield* store.ofDays(id, asked), [first, second, named])
      same(yield* store.ofDays(id, { ...asked, bank_ids: [] }), [first, second])
      same(yield* store.ofDays(other, asked), [])
      same(yield* store.ofImport(id, "another"), [])
      const ofImport = yield* store.ofImport(id, "imp")
      same(byId(ofImport), byId([first, second]))
      same(yield* store.ofImport(other, "imp"), [])
    }
  ),

  must(
    "statements are found by their last days, each import's newest once, until they are dropped",
    ["CreditStore.statementsSince MUST answer the statements of the account or the integration"],
    function* ({ store, id, other }) {
      const [here, there] = [yield* newIntegration(id), yield* newIntegration(id)]
      const statement = (
        import_id: string,
        last: number,
        given: Partial<ImportedStatement> = {}
      ): ImportedStatement => {
        const [first_day, last_day] = [dayOf(1), dayOf(last)]
        return {
          organisation_id: id,
          integration_id: there.id,
          import_id,
          account: "a",
          first_day,
          last_day,
          ...given
        }
      }
      const [first, second] = [
        statement("1", 3),
        statement("2", 4, { integration_id: here.id, account: "b", first_day: dayOf(2) })
      ]
      for (const each of [statement("1", 2), second, statement("3", 5, { account: "b" }), statement("4", 2), first]) {
        yield* store.keepStatement(each)
      }
      const asked = { account: "a", integration_id: here.id, day: dayOf(3) }
      const later = { account: "c", integration_id: (yield* newIntegration(id)).id, day: dayOf(9) }
      same(yield* store.statementsSince(id, later), [])
      same(yield* store.statementsSince(id, asked), [second, first])
      same(yield* store.statementsSince(other, asked), [])
      same(yield* store.findStatement(id, "1"), Option.some(first))
      none(yield* store.findStatement(other, "1"))
      const theirs = { ...first, organisation_id: other, integration_id: (yield* newIntegration(other)).id }
      yield* store.keepStatement(theirs)
      same(yield* store.findStatement(other, "1"), Option.some(theirs))
      yield* store.dropStatement(other, "1")
      yield* store.dropStatement(id, "2")
      same(yield* store.statementsSince(id, asked), [first])
      none(yield* store.findStatement(id, "2"))
    }
  )
]

/** The laws of {@link CreditStore}. */
export const credits = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "credits",
    port: Effect.map(CreditStore, (store) => ({
      ...store,
      insert: (credit: Credit) => store.add(credit.organisation_id, [credit])
    })),
    arbitrary: any,
    schema: Credit,
    fresh: freshId("credit"),
    parents: Effect.fnUntraced(function* (organisation_id) {
      const { id: charge_id, integration_id } = yield* newCharge(organisation_id)
      return { integration_id, charge_id, digest: yield* freshId("credit") }
    }),
    answers: Effect.fnUntraced(function* ({ charge_id, organisation_id, ...credit }, other) {
      const { ofCharge } = yield* CreditStore
      if (charge_id === null) return
      same(yield* ofCharge(organisation_id, charge_id), [{ ...credit, charge_id, organisation_id }])
      same(yield* ofCharge(other, charge_id), [])
    }),
    list: { spec: listing }
  })(() => lines)
