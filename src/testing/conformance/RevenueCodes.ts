import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import fc from "fast-check"
import { codeKey, derived, listing } from "../../domain/RevenueCode.ts"
import { RevenueCodeStore } from "../../ports/RevenueCodeStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import * as Generators from "../Generators.ts"
import { lists } from "./Lists.ts"
import { at, freshRevenueCodeId, newOrganisation, revenueCodeOf } from "./Records.ts"
import { check, type It, none, refused, same } from "./Suite.ts"

const draft = fc
  .tuple(Generators.revenueCode, fc.nat(3).map(at), fc.option(fc.nat(3).map(at), { freq: 3 }))
  .map(([code, created_at, archived_at]) => ({ ...code, created_at, archived_at }))

const uniqueness = <R>(it: It<R>): void => {
  it.effect("a text is used once in a namespace, whatever its case and blanks around it, archived or not", () =>
    Effect.gen(function* () {
      const store = yield* RevenueCodeStore
      const [{ id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
      const holder = yield* revenueCodeOf(id, { code: "ÉTÉ Appeal", archived_at: at(1) })
      yield* store.insert(holder)
      const taken = { _tag: "AlreadyTaken", field: "code", holder_id: holder.id }
      yield* refused(store.insert(yield* revenueCodeOf(id, { code: "été appeal" })), taken)
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
  )

  it.effect("a refusal is no defect: the transaction around it goes on", () =>
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
  )

  it.effect("finding or inserting answers the code that has the text, archived or not, and inserts it once", () =>
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
  )

  it.effect("requests at the same moment are answered one and the same code", () =>
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
}

/** The laws of {@link RevenueCodeStore}. */
export const revenueCodes = <R>(it: It<R>, runs: number): void => {
  it.effect("a code is read back as it was written, by id and by its text whatever the case", () =>
    check(
      runs,
      Generators.revenueCode,
      Effect.fnUntraced(function* (given) {
        const store = yield* RevenueCodeStore
        const { id: organisation_id } = yield* newOrganisation()
        const code = { ...given, id: yield* freshRevenueCodeId, organisation_id }
        yield* store.insert(code)
        same(yield* store.find(organisation_id, code.id), Option.some(code))
        same(yield* store.findForUpdate(organisation_id, code.id), Option.some(code))
        const asked = ` ${codeKey(code.code)} `
        same(yield* store.findByCode(organisation_id, code.namespace, asked), Option.some(code))
      })
    )
  )

  lists(
    it,
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
    runs
  )

  it.effect("no operation sees or changes another organisation's code", () =>
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
  )

  uniqueness(it)
}
