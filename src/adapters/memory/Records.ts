import { Effect, Option, Result } from "effect"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { AlreadyTaken } from "../../domain/kernel/Rejection.ts"
import type { RecordStore } from "../../ports/kernel/RecordStore.ts"
import { type ListSource, page } from "./ListPage.ts"
import type { Change, Memory } from "./Memory.ts"
import { add, get, type OrganisationRecord, records, replace, type State, type Table, where } from "./State.ts"

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

/** Finds an organisation's records by the value of a field. */
export const findBy =
  <A>(memory: Memory["Service"], { table }: Pick<RecordTable<A>, "table">, field: keyof A) =>
  (organisation_id: string, value: string): Effect.Effect<ReadonlyArray<A>> =>
    memory.read((state) => where(table(state), organisation_id, (record) => record[field] === value))

export const makeRecords = <A extends OrganisationRecord>(
  memory: Memory["Service"],
  table: RecordTable<A>
): RecordStore<A, A["id"]> => {
  const { shown = (_: State, record: A) => record } = table
  const find = (organisation_id: OrganisationId, id: string) =>
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

/** A value that is unique among the records of an organisation. */
interface Unique<A> {
  /** The unique value, as text; null for a record without one. */
  readonly value: (record: A) => string | null
  /** The names of the record and of its field in the refusal. */
  readonly record: string
  readonly field: string
}

/** A table in which values are unique among the records of an organisation. */
export interface UniqueTable<A> extends RecordTable<A> {
  readonly unique: Unique<A> | ReadonlyArray<Unique<A>>
}

/** A store whose writes are refused with {@link AlreadyTaken}, which names the record that has the value. */
export const makeUniqueRecords = <A extends OrganisationRecord>(
  memory: Memory["Service"],
  table: UniqueTable<A>
): RecordStore<A, A["id"], AlreadyTaken> => {
  const uniques: ReadonlyArray<Unique<A>> = [table.unique].flat()

  const holderOf = (state: State, record: A, unique: Unique<A>): Option.Option<A> => {
    const value = unique.value(record)
    if (value === null) return Option.none()
    for (const each of records(table.table(state), record.organisation_id)) {
      if (each.id !== record.id && unique.value(each) === value) return Option.some(each)
    }
    return Option.none()
  }

  const unlessTaken = (state: State, record: A, next: () => State): Change<void, AlreadyTaken> => {
    for (const unique of uniques) {
      const holder = holderOf(state, record, unique)
      if (Option.isNone(holder)) continue
      return Result.fail(new AlreadyTaken({ record: unique.record, field: unique.field, holder_id: holder.value.id }))
    }
    return Result.succeed([undefined, next()])
  }

  return {
    ...makeRecords(memory, table),
    insert: (record) =>
      memory.decide((state) => unlessTaken(state, record, () => table.with(state, add(table.table(state), record)))),
    update: (record) =>
      memory.decide((state) => unlessTaken(state, record, () => table.with(state, replace(table.table(state), record))))
  }
}
