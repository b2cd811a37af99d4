import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { AlreadyTaken } from "../../domain/Rejection.ts"
import type { RecordStore } from "../../ports/RecordStore.ts"
import type { Transaction } from "../../ports/Transaction.ts"
import { makeRecords, type RecordTable } from "./Records.ts"
import { insertRecord, updateRecord } from "./Writing.ts"

/** A table in which no two records of an organisation have the same value. */
export interface UniqueTable<A> extends RecordTable<A> {
  readonly unique: {
    /** The columns that are unique beside the organisation: a record in which one is null has no rival. */
    readonly columns: ReadonlyArray<string>
    readonly constraint: string
    /** What the record is called, and its field, to whom the value is refused. */
    readonly record: string
    readonly field: string
  }
}

/** A store whose writes are refused with {@link AlreadyTaken}, which names the record that has the value. */
export const makeUniqueRecords = <
  A extends { readonly id: string; readonly organisation_id: string },
  Id extends string
>(
  sql: SqlClient.SqlClient,
  transaction: Transaction["Service"],
  table: UniqueTable<A>
): RecordStore<A, Id, AlreadyTaken> => {
  const { toRecord = (record: A): object => record, unique } = table
  const target = sql.literal(["organisation_id", ...unique.columns].join(", "))

  const isTaken = (error: SqlError.SqlError): boolean =>
    error.reason._tag === "UniqueViolation" && error.reason.constraint === unique.constraint

  const holderOf = Effect.fnUntraced(function* (record: A) {
    const values = new Map(Object.entries(toRecord(record)))
    const same = unique.columns.map((column) => sql`t.${sql(column)} = ${values.get(column) ?? null}`)
    const found = yield* Effect.orDie(sql<{ readonly id: string }>`
      SELECT t.id FROM ${sql(table.table)} AS t
      WHERE ${sql.and([sql`t.organisation_id = ${record.organisation_id}`, ...same])}`)
    return found[0]?.id ?? null
  })

  const taken = (holder_id: string) =>
    Effect.fail(new AlreadyTaken({ record: unique.record, field: unique.field, holder_id }))

  /** Waits for a transaction that is writing the same value; when that one gives up, or moves on, there is another try. */
  const insert = (record: A): Effect.Effect<void, AlreadyTaken> =>
    Effect.gen(function* () {
      const written = yield* Effect.orDie(
        sql`${insertRecord(sql, table.table, toRecord(record))} ON CONFLICT (${target}) DO NOTHING RETURNING id`
      )
      if (written.length > 0) return
      const holder = yield* holderOf(record)
      return yield* holder === null ? insert(record) : taken(holder)
    })

  const refuseTaken = Effect.fnUntraced(function* (record: A) {
    const holder = yield* holderOf(record)
    if (holder !== null && holder !== record.id) return yield* taken(holder)
  })

  /** The savepoint keeps the surrounding transaction alive when another one took the value in between. */
  const update = Effect.fnUntraced(function* (record: A) {
    yield* refuseTaken(record)
    yield* transaction
      .run(updateRecord(sql, table.table, toRecord(record)))
      .pipe(
        Effect.catch((error) =>
          isTaken(error) ? Effect.andThen(refuseTaken(record), Effect.die(error)) : Effect.die(error)
        )
      )
  })

  return { ...makeRecords<A, Id>(sql, table), insert, update }
}
