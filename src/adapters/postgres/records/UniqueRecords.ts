import { Effect } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { AlreadyTaken } from "../../../domain/kernel/Rejection.ts"
import type { RecordStore } from "../../../ports/kernel/RecordStore.ts"
import type { Transaction } from "../../../ports/kernel/Transaction.ts"
import { notedOr } from "../connection/DeferredTransaction.ts"
import { CurrentLevel } from "../connection/LazyConnection.ts"
import { HostSession } from "../host/HostPool.ts"
import { change, insertion, insertRecord, makeRecords, type RecordTable, updateRecord } from "./Records.ts"

/** A value that is unique among the records of an organisation. */
interface Unique {
  /** The columns that are unique together with the organisation; a record with null in one of them conflicts with none. */
  readonly columns: ReadonlyArray<string>
  readonly constraint: string
  /** The names of the record and of its field in the refusal. */
  readonly record: string
  readonly field: string
}

export interface UniqueTable<A> extends RecordTable<A> {
  readonly unique: Unique
}

/** A table in which several values are. */
export interface ManyUniqueTable<A> extends RecordTable<A> {
  readonly uniques: ReadonlyArray<Unique>
}

interface Owned {
  readonly id: string
  readonly organisation_id: string
}

/** A table in which values are taken once, for {@link makeRefusing}. */
type Uniqueness<A> = Pick<ManyUniqueTable<A>, "table" | "toRecord" | "uniques">

/** The transaction is to run again from its beginning. */
const overtaken = (cause: SqlError.SqlError) =>
  new SqlError.SqlError({ reason: new SqlError.SerializationError({ cause }) })

type Write = Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>

/** Whether what is unique stays as it was in a change of `t` to `n`, or is nobody's. */
const isFree =
  (sql: SqlClient.SqlClient, table: string) =>
  ({ columns }: Unique) => {
    const kept = columns.map((column) => sql`${sql(`t.${column}`)} IS NOT DISTINCT FROM ${sql(`n.${column}`)}`)
    const same = columns.map((column) => sql`${sql(`o.${column}`)} = ${sql(`n.${column}`)}`)
    return sql`(${sql.and(kept)} OR NOT EXISTS (
      SELECT FROM ${sql(table)} AS o WHERE o.organisation_id = n.organisation_id AND o.id <> n.id AND ${sql.and(same)}))`
  }

/** Finds who has the value of a record. */
const makeHolderOf = <A extends Owned>(
  sql: SqlClient.SqlClient,
  { table, toRecord = (record: A): object => record }: Pick<Uniqueness<A>, "table" | "toRecord">
) =>
  Effect.fnUntraced(function* (record: A, unique: Unique) {
    const values = new Map(Object.entries(toRecord(record)))
    const same = unique.columns.map((column) => sql`t.${sql(column)} = ${values.get(column) ?? null}`)
    const found = yield* Effect.orDie(sql<{ readonly id: string }>`
      SELECT t.id FROM ${sql(table)} AS t
      WHERE ${sql.and([sql`t.organisation_id = ${record.organisation_id}`, ...same])}`)
    return found[0]?.id ?? null
  })

const makeRefusing = <A extends Owned>(
  sql: SqlClient.SqlClient,
  transaction: Transaction["Service"],
  { table, toRecord = (record: A): object => record, uniques }: Uniqueness<A>
) => {
  const names = new Set(uniques.map(({ constraint }) => constraint))
  const holderOf = makeHolderOf(sql, { table, toRecord })

  const isTaken = (error: SqlError.SqlError): boolean =>
    error.reason._tag === "UniqueViolation" && names.has(error.reason.constraint)

  const taken = (unique: Unique, holder_id: string) =>
    Effect.fail(new AlreadyTaken({ record: unique.record, field: unique.field, holder_id }))

  const refuseTaken = Effect.fnUntraced(function* (record: A) {
    for (const unique of uniques) {
      const holder = yield* holderOf(record, unique)
      if (holder !== null && holder !== record.id) return yield* taken(unique, holder)
    }
  })

  /**
   * Writes the record, unless its value is taken. The savepoint keeps the surrounding transaction usable when another
   * one took the value in between; when that one has given it up meanwhile, it tries again.
   */
  const unlessTaken = (
    record: A,
    write: Effect.Effect<unknown, SqlError.SqlError>
  ): Effect.Effect<void, AlreadyTaken> =>
    Effect.gen(function* () {
      yield* refuseTaken(record)
      yield* transaction
        .run(write)
        .pipe(Effect.catch((error) => (isTaken(error) ? unlessTaken(record, write) : Effect.die(error))))
    })

  /** One statement that answers the rows it wrote; where there are none, a value may be taken, and is looked up first. */
  const atOnce = (record: A, write: Write, statement: Write): Effect.Effect<void, AlreadyTaken> =>
    Effect.flatMap(Effect.orDie(statement), ({ length }) => (length > 0 ? Effect.void : unlessTaken(record, write)))

  /** It waits for a transaction that is writing the same value. */
  const insert = (record: A) => {
    const write = insertRecord(sql, table, toRecord(record))
    return atOnce(record, write, sql`${write} ON CONFLICT DO NOTHING RETURNING id`)
  }

  /**
   * One statement, too, where a value changes. Another one that takes the value at the same moment fails it, and with it the
   * transaction that is open here, which runs again from its beginning; a host's own goes on behind a savepoint.
   */
  const update = (record: A): Effect.Effect<void, AlreadyTaken> => {
    const write = updateRecord(sql, table, toRecord(record))
    const statement = sql`${write} AND ${sql.and(uniques.map(isFree(sql, table)))} RETURNING t.id`
    return Effect.gen(function* () {
      if ((yield* HostSession) !== undefined) return yield* unlessTaken(record, write)
      const isAlone = (yield* CurrentLevel) === undefined
      const answered = Effect.catch(statement, (error) => {
        if (!isTaken(error)) return Effect.fail(error)
        return isAlone ? Effect.succeed([]) : Effect.fail(overtaken(error))
      })
      yield* atOnce(record, write, answered)
    })
  }

  return { holderOf, taken, unlessTaken, insert, update }
}

/** Makes a table's own writes fail with {@link AlreadyTaken} where a value is taken. */
export const makeUnlessTaken = <A extends Owned>(
  sql: SqlClient.SqlClient,
  transaction: Transaction["Service"],
  { unique, ...table }: Pick<UniqueTable<A>, "table" | "toRecord" | "unique">
) => makeRefusing(sql, transaction, { ...table, uniques: [unique] }).unlessTaken

/** A store whose writes are refused with {@link AlreadyTaken} where one of several values is taken. */
export const makeManyUniqueRecords = <A extends Owned>(
  sql: SqlClient.SqlClient,
  transaction: Transaction["Service"],
  table: ManyUniqueTable<A>
): RecordStore<A, A["id"], AlreadyTaken> => {
  const { toRecord = (record: A): object => record } = table
  const { insert, update } = makeRefusing(sql, transaction, table)
  return {
    ...makeRecords(sql, table),
    insert: (record) => notedOr(insertion(sql, table.table, toRecord(record)), () => insert(record)),
    update: (record) => notedOr(change(sql, table.table, toRecord(record)), () => update(record))
  }
}

/** A store whose writes are refused with {@link AlreadyTaken}, which names the record that has the value. */
export const makeUniqueRecords = <A extends Owned>(
  sql: SqlClient.SqlClient,
  transaction: Transaction["Service"],
  table: UniqueTable<A>
): RecordStore<A, A["id"], AlreadyTaken> => {
  const { toRecord = (record: A): object => record, unique } = table
  const { holderOf, taken, update } = makeRefusing(sql, transaction, { ...table, uniques: [unique] })
  const target = sql.literal(["organisation_id", ...unique.columns].join(", "))

  /** Waits for a transaction that is writing the same value; when that is undone or has another, it tries again. */
  const insert = (record: A): Effect.Effect<void, AlreadyTaken> =>
    Effect.gen(function* () {
      const written = yield* Effect.orDie(
        sql`${insertRecord(sql, table.table, toRecord(record))} ON CONFLICT (${target}) DO NOTHING RETURNING id`
      )
      if (written.length > 0) return
      const holder = yield* holderOf(record, unique)
      return yield* holder === null ? insert(record) : taken(unique, holder)
    })

  return {
    ...makeRecords(sql, table),
    insert: (record) => notedOr(insertion(sql, table.table, toRecord(record)), () => insert(record)),
    update: (record) => notedOr(change(sql, table.table, toRecord(record)), () => update(record))
  }
}
