import { Effect, Option } from "effect"
import fc from "fast-check"
import { codeKey, derived, listing } from "../../domain/giving/RevenueCode.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { RevenueCodeStore } from "../../ports/giving/RevenueCodeStore.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { holding } from "./Holding.ts"
import { lists } from "./Lists.ts"
import { at, freshRevenueCodeId, newOrganisation, revenueCodeOf } from "./Records.ts"
import { type Check, forAll, law, must, none, refused, runsOf, same, type Thoroughness } from "./Suite.ts"

/** The ports that the checks use. */
type Needs = RevenueCodeStore | OrganisationStore | Transaction

const draft = fc
  .tuple(Generators.revenueCode, fc.nat(3).map(at), fc.option(fc.nat(3).map(at), { freq: 3 }))
  .map(([code, created_at, archived_at]) => ({ ...code, created_at, archived_at }))

const uniqueness = [
  must(
    "a text is used once in a namespace, whatever its case, its Unicode form and blanks around it, archived or not",
    [
      "RevenueCodeStore MUST fail with AlreadyTaken when the namespace has the code, whatever its case and its Unicode form, archived or not"
    ],
    () =>
      Effect.gen(function* () {
        const store = yield* RevenueCodeStore
        const [{ id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
        const holder = yield* revenueCodeOf(id, { code: "ÉTÉ Appeal", archived_at: at(1) })
        yield* store.insert(holder)
        const taken = { _tag: "AlreadyTaken", field: "code", holder_id: holder.id }
        for (const code of ["été appeal", "E\u0301TE\u0301 APPEAL", "  e\u0301te\u0301 appeal "]) {
          yield* refused(store.insert(yield* revenueCodeOf(id, { code })), taken)
          same(yield* store.findByCode(id, holder.namespace, code), Option.some(holder))
        }
        yield* store.insert(yield* revenueCodeOf(id, { code: "été appeal", namespace: "CRM_A" }))
        yield* store.insert(yield* revenueCodeOf(other.id, { code: "été appeal" }))
        const second = yield* revenueCodeOf(id, { code: "Spring" })
        yield* store.insert(second)
        yield* refused(store.update({ ...second, code: "Été APPEAL" }), taken)
        same(yield* store.find(id, second.id), Option.some(second))
        const respelled = { ...holder, code: "été APPEAL" }
        yield* store.update(respelled)
        same(yield* store.find(id, holder.id), Option.some(respelled))
      })
  ),

  must(
    "a refusal is no defect: the transaction around it goes on",
    [
      "RevenueCodeStore MUST fail with AlreadyTaken when the namespace has the code, whatever its case and its Unicode form, archived or not"
    ],
    () =>
      Effect.gen(function* () {
        const store = yield* RevenueCodeStore
        const transaction = yield* Transaction
        const { id } = yield* newOrganisation()
        yield* store.insert(yield* revenueCodeOf(id))
        const next = yield* revenueCodeOf(id, { code: "Spring" })
        const again = yield* revenueCodeOf(id)
        yield* transaction.run(Effect.andThen(Effect.flip(store.insert(again)), store.insert(next)))
        same(yield* store.find(id, next.id), Option.some(next))
      })
  ),

  law("finding or inserting answers the code that has the text, archived or not, and inserts it once", () =>
    Effect.gen(function* () {
      const store = yield* RevenueCodeStore
      const { id } = yield* newOrganisation()
      const code = yield* revenueCodeOf(id)
      same(yield* store.findOrInsert(code), { code, created: true })
      const archived = { ...code, archived_at: at(1) }
      yield* store.update(archived)
      const again = yield* revenueCodeOf(id, { code: code.code.toUpperCase() })
      same(yield* store.findOrInsert(again), { code: archived, created: false })
      none(yield* store.find(id, again.id))
      const imported = yield* revenueCodeOf(id, { namespace: "CRM_C" })
      same(yield* store.findOrInsert(imported), { code: imported, created: true })
    })
  ),

  must(
    "requests at the same moment are answered one and the same code",
    ["RevenueCodeStore.findOrInsert MUST answer one and the same record to requests at the same moment"],
    () =>
      Effect.gen(function* () {
        const store = yield* RevenueCodeStore
        const transaction = yield* Transaction
        const { id } = yield* newOrganisation()
        const ask = Effect.flatMap(revenueCodeOf(id), (code) => transaction.run(store.findOrInsert(code)))
        const answers = yield* Effect.all(
          Array.from({ length: 8 }, () => ask),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(new Set(answers.map(({ code }) => code.id)), 1)
        assert.lengthOf(
          answers.filter(({ created }) => created),
          1
        )
      })
  )
]

/**
 * The laws of {@link RevenueCodeStore}.
 */
export const revenueCodes = (given: Thoroughness = {}): ReadonlyArray<Check<Needs>> => [
  must(
    "a code is read back as it was written, by id and by its text whatever the case",
    ["RecordStore.update MUST write all fields of the record that has the same organisation and id"],
    () =>
      forAll(
        runsOf(given),
        fc.tuple(Generators.revenueCode, Generators.revenueCode),
        Effect.fnUntraced(function* ([given, next]) {
          const store = yield* RevenueCodeStore
          const { id: organisation_id } = yield* newOrganisation()
          const id = yield* freshRevenueCodeId
          for (const [index, each] of [given, next].entries()) {
            const code = { ...each, id, organisation_id }
            yield* index === 0 ? store.insert(code) : store.update(code)
            same(yield* store.find(organisation_id, id), Option.some(code))
            same(yield* store.findForUpdate(organisation_id, id), Option.some(code))
            const asked = ` ${codeKey(code.code)} `
            same(yield* store.findByCode(organisation_id, code.namespace, asked), Option.some(code))
          }
        })
      )
  ),

  ...lists(
    {
      name: "revenue codes",
      spec: listing,
      draft,
      store: Effect.fnUntraced(function* (organisation_id, given, index) {
        const code = { ...given, id: yield* freshRevenueCodeId, organisation_id, code: `${index} ${given.code}` }
        yield* Effect.orDie((yield* RevenueCodeStore).insert(code))
        return code
      }),
      list: (organisation_id, query) => RevenueCodeStore.use((store) => store.list(organisation_id, query)),
      columns: (code) => ({ ...code, ...derived(code) }),
      archived: (code) => code.archived_at !== null
    },
    runsOf(given)
  ),

  must(
    "no operation sees or changes another organisation's code",
    ["RecordReader MUST see the named organisation's records only"],
    () =>
      Effect.gen(function* () {
        const store = yield* RevenueCodeStore
        const [{ id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
        const code = yield* revenueCodeOf(other.id)
        yield* store.insert(code)
        none(yield* store.find(id, code.id))
        none(yield* store.findForUpdate(id, code.id))
        none(yield* store.findByCode(id, code.namespace, code.code))
        none(yield* store.findByCode(other.id, "CRM_A", code.code))
        yield* store.update({ ...code, organisation_id: id, description: "Taken over" })
        same(yield* store.find(other.id, code.id), Option.some(code))
        none(yield* store.find(id, code.id))
      })
  ),

  holding({
    name: "a revenue code",
    must: "RecordStore.findForUpdate MUST hold the row against every change until the surrounding transaction ends",
    make: Effect.gen(function* () {
      const { id } = yield* newOrganisation()
      const code = yield* revenueCodeOf(id, { description: "0" })
      yield* Effect.orDie((yield* RevenueCodeStore).insert(code))
      return code
    }),
    findForUpdate: (code) => RevenueCodeStore.use((store) => store.findForUpdate(code.organisation_id, code.id)),
    update: (code) => RevenueCodeStore.use((store) => store.update(code)),
    count: ({ description }) => Number(description),
    counted: (code, count) => ({ ...code, description: `${count}` })
  }),

  law("what a transaction that was rolled back wrote is gone, and its texts are free", () =>
    Effect.gen(function* () {
      const store = yield* RevenueCodeStore
      const transaction = yield* Transaction
      const { id } = yield* newOrganisation()
      const kept = yield* revenueCodeOf(id, { code: "Kept" })
      yield* store.insert(kept)
      const lost = yield* revenueCodeOf(id, { code: "Lost" })
      yield* store
        .insert(lost)
        .pipe(
          Effect.andThen(store.update({ ...kept, description: "Lost" })),
          Effect.andThen(Effect.fail("refused")),
          transaction.run,
          Effect.flip
        )
      none(yield* store.find(id, lost.id))
      same(yield* store.find(id, kept.id), Option.some(kept))
      const next = yield* revenueCodeOf(id, { code: "Lost" })
      same(yield* store.findOrInsert(next), { code: next, created: true })
    })
  ),

  ...uniqueness
]
