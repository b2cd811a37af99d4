import { Option, Result } from "effect"
import { AlreadyTaken } from "../../domain/kernel/Rejection.ts"
import type { RecordStore } from "../../ports/kernel/RecordStore.ts"
import type { Change, Memory } from "./Memory.ts"
import { makeRecords, type RecordTable } from "./Records.ts"
import { add, records, replace, type State } from "./State.ts"

/** A table in which a value is unique among the records of an organisation. */
export interface UniqueTable<A> extends RecordTable<A> {
  readonly unique: {
    /** The unique value, as text; null for a record without one. */
    readonly value: (record: A) => string | null
    /** The names of the record and of its field in the refusal. */
    readonly record: string
    readonly field: string
  }
}

/** A store whose writes are refused with {@link AlreadyTaken}, which names the record that has the value. */
export const makeUniqueRecords = <
  A extends { readonly id: string; readonly organisation_id: string },
  Id extends string
>(
  memory: Memory["Service"],
  table: UniqueTable<A>
): RecordStore<A, Id, AlreadyTaken> => {
  const { unique } = table

  const holderOf = (state: State, record: A): Option.Option<A> => {
    const value = unique.value(record)
    if (value === null) return Option.none()
    for (const each of records(table.table(state), record.organisation_id)) {
      if (unique.value(each) === value) return Option.some(each)
    }
    return Option.none()
  }

  const unlessTaken = (state: State, record: A, next: () => State): Change<void, AlreadyTaken> => {
    const holder = holderOf(state, record)
    return Option.isSome(holder) && holder.value.id !== record.id
      ? Result.fail(new AlreadyTaken({ record: unique.record, field: unique.field, holder_id: holder.value.id }))
      : Result.succeed([undefined, next()])
  }

  return {
    ...makeRecords<A, Id>(memory, table),
    insert: (record) =>
      memory.decide((state) => unlessTaken(state, record, () => table.with(state, add(table.table(state), record)))),
    update: (record) =>
      memory.decide((state) => unlessTaken(state, record, () => table.with(state, replace(table.table(state), record))))
  }
}
