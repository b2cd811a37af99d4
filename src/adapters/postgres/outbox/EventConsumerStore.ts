import { DateTime, Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { LimitReached } from "../../../domain/kernel/Rejection.ts"
import { isParked, waits } from "../../../domain/outbox/ConsumedEvent.ts"
import { ConsumerRecord, type EventConsumer, typesAfter } from "../../../domain/outbox/EventConsumer.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { EventConsumerStore } from "../../../ports/outbox/EventConsumerStore.ts"
import { nameIn, SchemaName } from "../connection/SchemaName.ts"
import { readOrDie, rowFrom, storeFrom } from "../records/Records.ts"
import { rowsOf, ruleOf } from "../records/Rows.ts"
import { makeEventClaims, makeEventOutcomes } from "./ConsumedEvents.ts"
import { storeNow, storeTimeOf } from "./DeliveryQueue.ts"
import { consumerOf, consumerRows, makeEventFetch } from "./EventFetch.ts"
import { EventHint } from "./EventHint.ts"

/** Events that are given their places with one statement. */
const placedTogether = 1_000

/**
 * Gives committed events their places in the log, one after the other under one lock, and answers when every event that
 * had been committed before has one. Places are given after the commit: whoever has seen a place has seen all before
 * it, and a transaction that commits late gets a later place. Events of one subject keep their order, since each took
 * its number while the record was locked. Nobody waits for transactions that go on.
 */
const makePlacing = (sql: SqlClient.SqlClient, transaction: Transaction["Service"], schema: string | undefined) => {
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

type Store = EventConsumerStore["Service"]

const recordRows = rowsOf(ConsumerRecord)

/** Makes consumers, one after the other by the log's lock. */
const makeRegister = (
  sql: SqlClient.SqlClient,
  transaction: Transaction["Service"],
  { end, place }: ReturnType<typeof makePlacing>
): Store["register"] => {
  const changed = (known: EventConsumer, { event_types, known_types }: Parameters<Store["register"]>[0]) => {
    const types = typesAfter(known.event_types, event_types, known_types)
    const after = consumerRows.first(sql`
      UPDATE event_consumers AS c
      SET event_types = ${types === null ? null : [...types]}::text[], updated_at = ${storeNow(sql)}
      WHERE c.name = ${known.name} RETURNING ${sql.literal(consumerRows.selected)}`)
    return Effect.map(
      after,
      Option.getOrElse(() => known)
    )
  }

  const inserted = Effect.fnUntraced(function* ({ event_types, from, name }: Parameters<Store["register"]>[0]) {
    const last = yield* Effect.orDie(end)
    const [count] = yield* Effect.orDie(
      sql<{ readonly n: number }>`SELECT count(*)::int4 AS n FROM event_consumers AS c`
    )
    if ((count?.n ?? 0) >= Limits.consumers) {
      return yield* new LimitReached({
        message: `There are ${Limits.consumers} consumers of events, which is the most. Remove one that is not used: almoner consumer delete.`
      })
    }
    const [row] = yield* Effect.orDie(sql`SELECT ${storeNow(sql)} AS at`)
    const at = storeTimeOf(row)
    const made: EventConsumer = {
      name,
      event_types,
      since: DateTime.isDateTime(from) ? from : null,
      position: from === "now" ? last : 0,
      created_at: at,
      updated_at: at
    }
    yield* Effect.orDie(sql`
      INSERT INTO event_consumers SELECT * FROM ${rowFrom(sql, "event_consumers", made)}`)
    return made
  })

  return (asked) =>
    Effect.andThen(
      place,
      transaction.run(
        Effect.gen(function* () {
          const known = yield* consumerOf(sql, asked.name, "FOR UPDATE")
          if (Option.isNone(known)) {
            yield* Effect.orDie(end)
            const meanwhile = yield* consumerOf(sql, asked.name, "FOR UPDATE")
            if (Option.isNone(meanwhile)) return yield* inserted(asked)
            return yield* changed(meanwhile.value, asked)
          }
          return yield* changed(known.value, asked)
        })
      )
    )
}

export const layer = storeFrom(EventConsumerStore, function* (sql) {
  const transaction = yield* Transaction
  const { hint } = yield* EventHint
  const placing = makePlacing(sql, transaction, yield* SchemaName)
  const now = Effect.orDie(Effect.map(sql`SELECT ${storeNow(sql)} AS at`, ([row]) => storeTimeOf(row)))

  const records = (where: Fragment) => sql`
    SELECT c.name, c.event_types, c.created_at, c.updated_at,
           (greatest(0, (SELECT coalesce(max(l.position), 0) FROM /* every organisation */ event_log AS l) - c.position)
             + (SELECT count(*) FROM /* every organisation */ event_log AS l WHERE l.position IS NULL))::float8 AS behind,
           (SELECT count(*) FROM /* every organisation */ consumed_events AS i
            WHERE i.consumer = c.name AND ${ruleOf(sql, waits, "i")})::float8 AS waiting,
           (SELECT count(*) FROM /* every organisation */ consumed_events AS i
            WHERE i.consumer = c.name AND ${ruleOf(sql, isParked, "i")})::float8 AS parked
    FROM event_consumers AS c WHERE ${where} ORDER BY c.name`

  return {
    ...makeEventClaims(sql),
    ...makeEventOutcomes(sql),
    now,
    register: makeRegister(sql, transaction, placing),
    take: makeEventFetch(sql, transaction, placing.place),
    list: recordRows.all(records(sql`true`)),
    find: (name) => recordRows.first(records(sql`c.name = ${name}`)),
    remove: (name) =>
      readOrDie(sql`DELETE FROM event_consumers WHERE name = ${name} RETURNING 1`, (gone) => gone.length > 0),
    hint
  }
})
