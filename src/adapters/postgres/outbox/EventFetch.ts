import { Duration, Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { subtractTime } from "../../../domain/kernel/InstantRange.ts"
import { ConsumedEvent, newConsumedEvent } from "../../../domain/outbox/ConsumedEvent.ts"
import { EventConsumer, subjectOf } from "../../../domain/outbox/EventConsumer.ts"
import type { Transaction } from "../../../ports/kernel/Transaction.ts"
import type { EventConsumerStore } from "../../../ports/outbox/EventConsumerStore.ts"
import { readOrDie, rowsFrom } from "../records/Records.ts"
import { rowsOf } from "../records/Rows.ts"
import { storeNow, storeTimeOf } from "./DeliveryQueue.ts"
import { readBody } from "./Outbox.ts"

type Store = EventConsumerStore["Service"]

/** A column of the database's widest integers, as a number. */
export const asNumber = (name: string) => ({ select: (alias: string) => `${alias}.${name}::float8` })

const rows = rowsOf(EventConsumer, { position: asNumber("position") })

export const consumerRows = { first: rows.first, selected: rows.columns("c") }

/** Events of the log that a consumer reads with one statement. */
const lookedAtTogether = 500

const Looked = Schema.Struct({
  position: Schema.Number,
  organisation_id: Schema.String,
  event_id: Schema.String,
  event_type: Schema.String,
  body: Schema.NullOr(Schema.String)
})
const readLooked = Schema.decodeUnknownSync(Looked)

const Keys = ConsumedEvent.mapFields(({ consumer, event_id, event_type, organisation_id, position, subject_id }) => ({
  consumer,
  event_id,
  event_type,
  organisation_id,
  position,
  subject_id
}))
const readKeys = Schema.decodeUnknownSync(Keys)

/** The data of an event's body; none of it where that cannot be read. */
const dataOf = (body: string | null): Readonly<Record<string, unknown>> => {
  try {
    return readBody(body).data
  } catch {
    return {}
  }
}

/** The consumer of a name, locked as told. */
export const consumerOf = (sql: SqlClient.SqlClient, name: string, lock: string) =>
  consumerRows.first(sql`
    SELECT ${sql.literal(consumerRows.selected)} FROM event_consumers AS c WHERE c.name = ${name} ${sql.literal(lock)}`)

/** Claims events of the log for a consumer. `place` gives those that are committed their places. */
export const makeEventFetch = (
  sql: SqlClient.SqlClient,
  transaction: Transaction["Service"],
  place: Effect.Effect<void>
): Store["take"] => {
  /** The next of the log, those of the consumer's types with their text. */
  const look = ({ event_types, position, since }: EventConsumer) => sql`
    SELECT l.position::float8 AS position, l.organisation_id, l.event_id, l.event_type, e.body
    FROM /* every organisation */ event_log AS l
    LEFT JOIN /* every organisation */ events AS e ON e.organisation_id = l.organisation_id AND e.id = l.event_id
      AND (${event_types === null ? sql`true` : sql`l.event_type = ANY(${event_types}::text[])`})
      AND (${since === null ? sql`true` : sql`e.occurred_at >= ${new Date(since.epochMilliseconds)}`})
    WHERE l.position > ${position}::float8::int8 ORDER BY l.position LIMIT ${lookedAtTogether}::int4`

  const keep = (items: ReadonlyArray<ConsumedEvent>) => sql`
    INSERT INTO consumed_events
      (consumer, position, organisation_id, event_id, event_type, subject_id, status, attempt_count, interruption_count,
       next_attempt_at, error, created_at, updated_at, parked_at)
    SELECT consumer, position, organisation_id, event_id, event_type, subject_id, status, attempt_count, interruption_count,
           next_attempt_at, error, created_at, updated_at, parked_at
    FROM ${rowsFrom(sql, "consumed_events", items)} AS g`

  /** Reads the next events of the log, and claims as many as there is room for. */
  const takeSome = Effect.fnUntraced(function* (name: string, waiting: number) {
    const found = yield* consumerOf(sql, name, "FOR UPDATE SKIP LOCKED")
    if (Option.isNone(found)) return { taken: 0, isMore: false }
    const [held] = yield* sql<{ readonly n: number }>`
      SELECT count(*)::int4 AS n FROM /* every organisation */ consumed_events AS i WHERE i.consumer = ${name}`
    const room = waiting - (held?.n ?? 0)
    if (room <= 0) return { taken: 0, isMore: false }
    const looked = (yield* look(found.value)).map((row) => readLooked(row))
    const wanted = looked.filter(({ body }) => body !== null).slice(0, room)
    const last = wanted.length === room ? wanted.at(-1) : looked.at(-1)
    if (last === undefined) return { taken: 0, isMore: false }
    // Cut, so that what is taken is due at once.
    const [row] = yield* sql`SELECT ${storeNow(sql)} AS at`
    const at = subtractTime(storeTimeOf(row), Duration.millis(1))
    const items = wanted.map(({ body, event_id, ...row }) =>
      newConsumedEvent(
        readKeys({ ...row, event_id, consumer: name, subject_id: subjectOf(event_id, dataOf(body)) }),
        at
      )
    )
    if (items.length > 0) yield* keep(items)
    yield* sql`UPDATE event_consumers SET position = ${last.position}::float8::int8 WHERE name = ${name}`
    return { taken: items.length, isMore: looked.length === lookedAtTogether && items.length < room }
  }, Effect.orDie)

  /** Whether the log has events that the consumer has not read; asked without a lock. */
  const isBehind = (name: string) =>
    readOrDie(
      sql`
          SELECT 1 FROM event_consumers AS c WHERE c.name = ${name} AND EXISTS (
            SELECT FROM /* every organisation */ event_log AS l WHERE l.position > c.position)`,
      (found) => found.length > 0
    )

  return Effect.fnUntraced(function* (name, waiting) {
    yield* place
    let total = 0
    for (let isMore = yield* isBehind(name); isMore; ) {
      const some = yield* transaction.run(takeSome(name, waiting))
      total += some.taken
      isMore = some.isMore
    }
    return total
  })
}
