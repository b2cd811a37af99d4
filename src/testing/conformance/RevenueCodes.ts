import { Effect, Option } from "effect"
import { codeKey, derivedColumns, listing, RevenueCode } from "../../domain/giving/RevenueCode.ts"
import { RevenueCodeStore } from "../../ports/giving/RevenueCodeStore.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { recordStore } from "./RecordStores.ts"
import { at, freshId, revenueCodeOf } from "./Records.ts"
import { assertRefused, inTransaction, lawsOf, none, same, type Thoroughness, together } from "./Suite.ts"

const { law, must } = lawsOf(RevenueCodeStore)

const takenOnce =
  "RevenueCodeStore MUST fail with AlreadyTaken when the namespace has the code, whatever its case and its Unicode form, archived or not"

const uniqueness = [
  must(
    "a text is used once in a namespace, whatever its case, its Unicode form and blanks around it, archived or not",
    [takenOnce],
    function* ({ store, id, other }) {
      const holder = yield* revenueCodeOf(id, { code: "ÉTÉ Appeal", archived_at: at(1) })
      yield* store.insert(holder)
      const taken = { _tag: "AlreadyTaken", field: "code", holder_id: holder.id }
      for (const code of ["été appeal", "E\u0301TE\u0301 APPEAL", "  e\u0301te\u0301 appeal "]) {
        yield* assertRefused(store.insert(yield* revenueCodeOf(id, { code })), taken)
        same(yield* store.findByCode(id, holder.namespace, code), Option.some(holder))
      }
      yield* store.insert(yield* revenueCodeOf(id, { code: "été appeal", namespace: "CRM_A" }))
      yield* store.insert(yield* revenueCodeOf(other, { code: "été appeal" }))
      const second = yield* revenueCodeOf(id, { code: "Spring" })
      yield* store.insert(second)
      yield* assertRefused(store.update({ ...second, code: "Été APPEAL" }), taken)
      same(yield* store.find(id, second.id), Option.some(second))
      const respelled = { ...holder, code: "été APPEAL" }
      yield* store.update(respelled)
      same(yield* store.find(id, holder.id), Option.some(respelled))
    }
  ),

  law("finding or inserting answers the code of the text, archived or not, inserted once", function* ({ store, id }) {
    const code = yield* revenueCodeOf(id)
    same(yield* store.findOrInsert(code), { code, created: true })
    const archived = { ...code, archived_at: at(1) }
    yield* store.update(archived)
    const again = yield* revenueCodeOf(id, { code: code.code.toUpperCase() })
    same(yield* store.findOrInsert(again), { code: archived, created: false })
    none(yield* store.find(id, again.id))
    const imported = yield* revenueCodeOf(id, { namespace: "CRM_C" })
    same(yield* store.findOrInsert(imported), { code: imported, created: true })
  }),

  must(
    "requests at the same moment are answered one and the same code",
    ["RevenueCodeStore.findOrInsert MUST answer one and the same record to requests at the same moment"],
    function* ({ store, id }) {
      const ask = Effect.flatMap(revenueCodeOf(id), (code) => inTransaction(store.findOrInsert(code)))
      const answers = yield* together(8, ask)
      assert.lengthOf(new Set(answers.map(({ code }) => code.id)), 1)
      assert.lengthOf(
        answers.filter(({ created }) => created),
        1
      )
    }
  )
]

/** The laws of {@link RevenueCodeStore}. */
export const revenueCodes = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "revenue codes",
    port: RevenueCodeStore,
    arbitrary: Generators.revenueCode,
    schema: RevenueCode,
    fresh: freshId("revenueCode"),
    parents: (_, { code }) => Effect.map(freshId("request"), (own) => ({ code: `${own} ${code}`.trim() })),
    answers: Effect.fnUntraced(function* (code, other) {
      const { findByCode } = yield* RevenueCodeStore
      const typed = ` ${codeKey(code.code)} `
      same(yield* findByCode(code.organisation_id, code.namespace, typed), Option.some(code))
      none(yield* findByCode(other, code.namespace, typed))
      none(yield* findByCode(code.organisation_id, code.namespace === "CRM_A" ? "CRM_C" : "CRM_A", typed))
    }),
    unique: [
      { field: "code", must: takenOnce, value: { code: "Winter Appeal" }, within: ({ namespace }) => ({ namespace }) }
    ],
    list: { spec: listing, columns: (code) => ({ ...code, ...derivedColumns(code) }) }
  })(() => [...uniqueness])
