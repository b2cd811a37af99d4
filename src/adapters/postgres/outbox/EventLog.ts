import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Transaction } from "../../../ports/kernel/Transaction.ts"
import { nameIn } from "../connection/SchemaName.ts"

/** Events that are given their places with one statement. */
const placedTogether = 1_000

/**
 * Gives committed events their places in the log, one after the other under one lock, and answers when every event that
 * had been committed before has one. Places are given after the commit: whoever has seen a place has seen all before
 * it, and a transaction that commits late gets a later place. Events of one subject keep their order, since each took
 * its number while the record was locked. Nobody waits for transactions that go on.
 */
export const makePlacing = (
  sql: SqlClient.SqlClient,
  transaction: Transaction["Service"],
  schema: string | undefined
) => {
  const lock = nameIn(schema, "almoner event log")

  const isAnyNew = Effect.map(
    sql`SELECT 1 FROM /* every organisation */ event_log AS l WHERE l.position IS NULL LIMIT 1`,
    (found) => found.length > 0
  )

  // The lock is taken by a statement of its own: the next one's snapshot has all that its last holder placed.
  const hold = sql`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`

  const placeSome = Effect.map(
    sql`
      WITH new AS MATERIALIZED (
        SELECT l.number FROM /* every organisation */ event_log AS l
        WHERE l.position IS NULL ORDER BY l.number LIMIT ${placedTogether}::int4
      ),
      placed AS MATERIALIZED (
        SELECT n.number,
               (SELECT coalesce(max(l.position), 0) FROM /* every organisation */ event_log AS l)
                 + row_number() OVER (ORDER BY n.number) AS position
        FROM new AS n
      )
      UPDATE /* every organisation */ event_log AS l SET position = p.position
      FROM placed AS p WHERE l.number = p.number
      RETURNING 1`,
    (placed) => placed.length
  )

  const placeBatch = transaction.run(Effect.orDie(Effect.andThen(hold, placeSome)))

  const isPlaced = Effect.map(Effect.orDie(isAnyNew), (isAny) => !isAny)

  /** Places all that is committed, in transactions of its own. */
  const place: Effect.Effect<void> = Effect.gen(function* () {
    if (yield* isPlaced) return
    while ((yield* placeBatch) === placedTogether);
  })

  /** The place of the last event that is committed now, in the surrounding transaction. */
  const end = Effect.gen(function* () {
    yield* hold
    while ((yield* placeSome) === placedTogether);
    const [row] = yield* sql<{ readonly position: number }>`
      SELECT coalesce(max(l.position), 0)::float8 AS position FROM /* every organisation */ event_log AS l`
    return row?.position ?? 0
  })

  return { place, end } as const
}
