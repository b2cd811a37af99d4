import { Effect, Layer, Option, Result } from "effect"
import type { OrganisationId, RevenueCodeId } from "../../domain/Ids.ts"
import { AlreadyTaken } from "../../domain/Rejection.ts"
import { codeKey, derived, type Namespace, type RevenueCode } from "../../domain/RevenueCode.ts"
import { RevenueCodeStore } from "../../ports/RevenueCodeStore.ts"
import { type Listed, page } from "./Listing.ts"
import { type Change, Memory } from "./Memory.ts"
import { add, get, records, replace, type State } from "./State.ts"

const listed: Listed<RevenueCode> = {
  table: (state) => state.revenueCodes,
  columns: (code) => ({ ...code, ...derived(code) }),
  archived: (code) => code.archived_at !== null
}

const byCode = (state: State, organisation_id: OrganisationId, namespace: Namespace, text: string) => {
  const key = codeKey(text)
  for (const code of records(state.revenueCodes, organisation_id)) {
    if (code.namespace === namespace && codeKey(code.code) === key) return Option.some(code)
  }
  return Option.none<RevenueCode>()
}

/** The code's text is free, or the code's own. */
const unlessTaken = (state: State, code: RevenueCode, next: State): Change<void, AlreadyTaken> => {
  const holder = byCode(state, code.organisation_id, code.namespace, code.code)
  return Option.isSome(holder) && holder.value.id !== code.id
    ? Result.fail(new AlreadyTaken({ record: "revenue code", field: "code", holder_id: holder.value.id }))
    : Result.succeed([undefined, next])
}

const inserted = (state: State, code: RevenueCode): State => ({
  ...state,
  revenueCodes: add(state.revenueCodes, code)
})

/** Revenue codes in memory. */
export const layer = Layer.effect(
  RevenueCodeStore,
  Effect.map(Memory, (memory) => {
    const find = (organisation_id: OrganisationId, id: RevenueCodeId) =>
      memory.read((state) => get(state.revenueCodes, organisation_id, id))
    return RevenueCodeStore.of({
      insert: (code) => memory.decide((state) => unlessTaken(state, code, inserted(state, code))),
      findOrInsert: (code) =>
        memory.decide((state) => {
          const found = byCode(state, code.organisation_id, code.namespace, code.code)
          const created = Option.isNone(found)
          const answer = { code: Option.getOrElse(found, () => code), created }
          return Result.succeed([answer, created ? inserted(state, code) : state])
        }),
      find,
      findByCode: (organisation_id, namespace, code) =>
        memory.read((state) => byCode(state, organisation_id, namespace, code)),
      findForUpdate: find,
      update: (code) =>
        memory.decide((state) =>
          unlessTaken(state, code, { ...state, revenueCodes: replace(state.revenueCodes, code) })
        ),
      list: (organisation_id, query) =>
        Effect.flatten(memory.read((state) => page(listed, state, organisation_id, query)))
    })
  })
)
