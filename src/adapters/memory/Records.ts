import { Effect } from "effect"
import type { OrganisationId } from "../../domain/Ids.ts"
import type { RecordStore } from "../../ports/RecordStore.ts"
import { type Listed, page } from "./Listing.ts"
import type { Memory } from "./Memory.ts"
import { add, get, replace, type State, type Table } from "./State.ts"

/** Where in the state the records of a kind are, and how lists see them. */
export interface RecordTable<A> extends Listed<A> {
  readonly with: (state: State, table: Table<A>) => State
}

/** The store of one table of the state. */
export const makeRecords = <A extends { readonly id: string; readonly organisation_id: string }, Id extends string>(
  memory: Memory["Service"],
  table: RecordTable<A>
): RecordStore<A, Id> => {
  const find = (organisation_id: OrganisationId, id: Id) =>
    memory.read((state) => get(table.table(state), organisation_id, id))
  return {
    insert: (record) => memory.change((state) => table.with(state, add(table.table(state), record))),
    find,
    findForUpdate: find,
    update: (record) => memory.change((state) => table.with(state, replace(table.table(state), record))),
    list: (organisation_id, query) => Effect.flatten(memory.read((state) => page(table, state, organisation_id, query)))
  }
}
