import { Effect, Option } from "effect"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import type { RecordStore } from "../../ports/kernel/RecordStore.ts"
import { type ListSource, page } from "./ListPage.ts"
import type { Memory } from "./Memory.ts"
import { add, get, replace, type State, type Table } from "./State.ts"

/** The place of a kind of records in the state, and how its lists work. */
export interface RecordTable<A> extends ListSource<A> {
  readonly with: (state: State, table: Table<A>) => State
  /** The record as it is read, for kinds whose records show a value of another record. */
  readonly shown?: (state: State, record: A) => A
}

/** The place of the records that the state has under a name. */
export const tableOf = <K extends keyof State>(name: K) => ({
  table: (state: State): State[K] => state[name],
  with: (state: State, table: State[K]): State => ({ ...state, [name]: table })
})

/** The store of one table of the state. */
export const makeRecords = <A extends { readonly id: string; readonly organisation_id: string }, Id extends string>(
  memory: Memory["Service"],
  table: RecordTable<A>
): RecordStore<A, Id> => {
  const { shown = (_: State, record: A) => record } = table
  const find = (organisation_id: OrganisationId, id: Id) =>
    memory.read((state) => Option.map(get(table.table(state), organisation_id, id), (record) => shown(state, record)))
  return {
    insert: (record) => memory.change((state) => table.with(state, add(table.table(state), record))),
    find,
    findForUpdate: find,
    update: (record) => memory.change((state) => table.with(state, replace(table.table(state), record))),
    list: (organisation_id, query) =>
      Effect.flatten(
        memory.read((state) =>
          Effect.map(page(table, state, organisation_id, query), ({ data, has_more }) => ({
            data: data.map((record) => shown(state, record)),
            has_more
          }))
        )
      )
  }
}
