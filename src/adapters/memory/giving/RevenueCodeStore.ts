import { Effect, Layer, Option, Result } from "effect"
import { codeKey, derivedColumns, type Namespace, type RevenueCode } from "../../../domain/giving/RevenueCode.ts"
import type { OrganisationId, RevenueCodeId } from "../../../domain/kernel/Ids.ts"
import { RevenueCodeStore } from "../../../ports/giving/RevenueCodeStore.ts"
import { Memory } from "../Memory.ts"
import { add, records, type State } from "../State.ts"
import { makeUniqueRecords, type UniqueTable } from "../UniqueRecords.ts"

const revenueCodes: UniqueTable<RevenueCode> = {
  table: (state) => state.revenueCodes,
  with: (state, table) => ({ ...state, revenueCodes: table }),
  columns: (code) => ({ ...code, ...derivedColumns(code) }),
  archivable: true,
  unique: { value: (code) => `${code.namespace} ${codeKey(code.code)}`, record: "revenue code", field: "code" }
}

const byCode = (state: State, organisation_id: OrganisationId, namespace: Namespace, text: string) => {
  const key = codeKey(text)
  for (const code of records(state.revenueCodes, organisation_id)) {
    if (code.namespace === namespace && codeKey(code.code) === key) return Option.some(code)
  }
  return Option.none<RevenueCode>()
}

/** Revenue codes in memory. */
export const layer = Layer.effect(
  RevenueCodeStore,
  Effect.map(Memory, (memory) =>
    RevenueCodeStore.of({
      ...makeUniqueRecords<RevenueCode, RevenueCodeId>(memory, revenueCodes),
      findOrInsert: (code) =>
        memory.decide((state) => {
          const found = byCode(state, code.organisation_id, code.namespace, code.code)
          const created = Option.isNone(found)
          const answer = { code: Option.getOrElse(found, () => code), created }
          const next = created ? { ...state, revenueCodes: add(state.revenueCodes, code) } : state
          return Result.succeed([answer, next])
        }),
      findByCode: (organisation_id, namespace, code) =>
        memory.read((state) => byCode(state, organisation_id, namespace, code))
    })
  )
)
