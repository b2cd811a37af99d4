import type { AuditEntry } from "../../../domain/access/Audit.ts"
import { AuditStore } from "../../../ports/access/AuditStore.ts"
import { storeOf } from "../Memory.ts"
import { newestFirst } from "../Order.ts"
import { add, records, type State } from "../State.ts"

export const withEntry = (state: State, entry: AuditEntry): State => ({
  ...state,
  audit: add(state.audit, entry)
})

export const layer = storeOf(AuditStore, (memory) => ({
  append: (entry) => memory.change((state) => withEntry(state, entry)),
  list: (organisation_id, limit) =>
    memory.read((state) => Array.from(records(state.audit, organisation_id)).sort(newestFirst).slice(0, limit))
}))
