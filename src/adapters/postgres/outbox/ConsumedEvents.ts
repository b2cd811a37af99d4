import { Duration, Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { ConsumedEvent, hasFailed, isOver, waits } from "../../../domain/outbox/ConsumedEvent.ts"
import type { EventRecord } from "../../../domain/outbox/Event.ts"
import type { EventConsumerStore, LeasedEvent } from "../../../ports/outbox/EventConsumerStore.ts"
import { readOrDie, rowFrom, runOrDie } from "../records/Records.ts"
import { rowsOf, ruleOf, toRow } from "../records/Rows.ts"
import { leaseEnd, storeNow } from "./DeliveryQueue.ts"
import { asNumber } from "./EventFetch.ts"
import { eventRows } from "./Outbox.ts"

type Store = EventConsumerStore["Service"]

const itemRows = rowsOf(ConsumedEvent, { position: asNumber("position") })
const columns = itemRows.columns("i")

const Leased = Schema.Struct({ lease_id: Schema.String })
const leaseOf = Schema.decodeUnknownSync(Leased)

/** Events that no earlier one of their subject holds up. */
const isFirst = `NOT EXISTS (
  SELECT FROM /* every organisation */ consumed_events AS b
  WHERE b.consumer = i.consumer AND b.organisation_id = i.organisation_id AND b.subject_id = i.subject_id
    AND b.position < i.position)`

/** The events that a worker of some types may have: `isForWorker` of `domain/outbox/EventConsumer.ts`. */
const isForTypes = (sql: SqlClient.SqlClient, types: ReadonlyArray<string> | null): Fragment =>
  types === null
    ? sql`true`
    : sql`(i.event_type = ANY(${[...types]}::text[]) OR EXISTS (
        SELECT FROM event_consumers AS c WHERE c.name = i.consumer AND i.event_type <> ALL (c.event_types)))`

export const makeEventClaims = (sql: SqlClient.SqlClient): Pick<Store, "claim" | "renew" | "expired" | "untilDue"> => {
  const lease = ({ lease_id, lease_millis, limit, name, types = null }: Parameters<Store["claim"]>[0]) => sql`
    WITH due AS MATERIALIZED (
      SELECT i.position FROM /* every organisation */ consumed_events AS i
      WHERE i.consumer = ${name} AND ${ruleOf(sql, waits, "i")} AND i.lease_id IS NULL
        AND i.next_attempt_at <= ${storeNow(sql)} AND ${sql.literal(isFirst)} AND ${isForTypes(sql, types)}
      ORDER BY i.position LIMIT ${limit}::int4
      FOR UPDATE OF i SKIP LOCKED
    )
    UPDATE /* every organisation */ consumed_events AS i
    SET lease_id = ${lease_id}, lease_until = ${leaseEnd(sql, lease_millis)}
    FROM due AS d WHERE i.consumer = ${name} AND i.position = d.position AND i.lease_id IS NULL
    RETURNING ${sql.literal(columns)}`

  const eventsOf = Effect.fnUntraced(function* (items: ReadonlyArray<ConsumedEvent>) {
    const keys = JSON.stringify(items.map(({ event_id, organisation_id }) => ({ event_id, organisation_id })))
    const found = yield* sql`
      SELECT ${sql.literal(eventRows.columns("t"))}
      FROM jsonb_to_recordset(${keys}::jsonb) AS k (organisation_id text, event_id text)
      JOIN /* every organisation */ events AS t ON t.organisation_id = k.organisation_id AND t.id = k.event_id`
    return new Map(eventRows.readable(found).read.map((event): [string, EventRecord] => [event.id, event]))
  })

  const claim: Store["claim"] = Effect.fnUntraced(function* (options) {
    const leased = yield* lease(options)
    if (leased.length === 0) return []
    const { read, unreadable } = itemRows.readable(leased)
    for (const _ of unreadable) {
      yield* Effect.logError(`An event of consumer ${options.name} cannot be read; it holds up those of its record`)
    }
    const items = read.toSorted((a, b) => a.position - b.position)
    const events = yield* eventsOf(items)
    const { lease_id } = options
    return items.map((item) => ({ item, lease_id, event: Option.fromUndefinedOr(events.get(item.event_id)) }))
  }, Effect.orDie)

  const untilDue = (name: string) =>
    Effect.map(
      sql<{ readonly millis: number | null }>`
        SELECT (extract(epoch FROM min(coalesce(i.lease_until, i.next_attempt_at)) - clock_timestamp()) * 1000)::float8 AS millis
        FROM /* every organisation */ consumed_events AS i
        WHERE i.consumer = ${name} AND ${ruleOf(sql, waits, "i")} AND ${sql.literal(isFirst)}`,
      ([row]) => Option.map(Option.fromNullishOr(row?.millis), (millis) => Duration.millis(Math.max(0, millis)))
    )

  return {
    claim,
    renew: (name, lease_ids, lease_millis) =>
      runOrDie(sql`
          UPDATE /* every organisation */ consumed_events AS i SET lease_until = ${leaseEnd(sql, lease_millis)}
          WHERE i.consumer = ${name} AND i.lease_id = ANY(${lease_ids}::text[])`),
    expired: (name, { limit, over_millis }) =>
      readOrDie(
        sql`
            SELECT ${sql.literal(columns)}, i.lease_id FROM /* every organisation */ consumed_events AS i
            WHERE i.consumer = ${name}
              AND i.lease_until <= clock_timestamp() - ${over_millis}::float8 * interval '1 millisecond'
            ORDER BY i.position LIMIT ${limit}::int4`,
        (rows) =>
          rows.flatMap((row) =>
            itemRows.readable([row]).read.map((item) => ({ item, lease_id: leaseOf(row).lease_id }))
          )
      ),
    untilDue: (name) => Effect.orDie(untilDue(name))
  }
}

/** Records outcomes, and what operators decided. */
export const makeEventOutcomes = (
  sql: SqlClient.SqlClient
): Pick<Store, "settle" | "update" | "waiting" | "findForUpdate" | "releaseAll"> => {
  const recorded = (name: string, outcomes: ReadonlyArray<LeasedEvent>) => {
    const given = outcomes.map(({ item, lease_id }) => ({ ...toRow(item), lease_id, is_over: isOver(item) }))
    return sql<{ readonly position: number }>`
      WITH given AS MATERIALIZED (
        SELECT g.* FROM jsonb_to_recordset(${JSON.stringify(given)}::jsonb) AS g (
          position int8, lease_id text, is_over boolean, status text, attempt_count int4, interruption_count int4,
          next_attempt_at timestamptz, error text, updated_at timestamptz, parked_at timestamptz)
      ),
      ended AS (
        DELETE FROM /* every organisation */ consumed_events AS i USING given AS g
        WHERE i.consumer = ${name} AND i.position = g.position AND i.lease_id = g.lease_id AND g.is_over
        RETURNING i.position
      ),
      kept AS (
        UPDATE /* every organisation */ consumed_events AS i
        SET status = g.status, attempt_count = g.attempt_count, interruption_count = g.interruption_count,
            next_attempt_at = g.next_attempt_at, error = g.error, updated_at = g.updated_at, parked_at = g.parked_at,
            lease_id = NULL, lease_until = NULL
        FROM given AS g
        WHERE i.consumer = ${name} AND i.position = g.position AND i.lease_id = g.lease_id AND NOT g.is_over
        RETURNING i.position
      )
      SELECT position::float8 AS position FROM ended UNION ALL SELECT position::float8 AS position FROM kept`
  }

  const update: Store["update"] = (item) =>
    runOrDie(
      isOver(item)
        ? sql`
              DELETE FROM consumed_events AS i
              WHERE i.consumer = ${item.consumer} AND i.position = ${item.position}::float8::int8
                AND i.organisation_id = ${item.organisation_id}`
        : sql`
              UPDATE consumed_events AS i
              SET (status, attempt_count, interruption_count, next_attempt_at, error, updated_at, parked_at, lease_id, lease_until) =
                (SELECT g.status, g.attempt_count, g.interruption_count, least(g.next_attempt_at, clock_timestamp()), g.error,
                        g.updated_at, g.parked_at, NULL::text, NULL::timestamptz
                 FROM ${rowFrom(sql, "consumed_events", item)} AS g)
              WHERE i.consumer = ${item.consumer} AND i.position = ${item.position}::float8::int8
                AND i.organisation_id = ${item.organisation_id}`
    )

  return {
    update,
    settle: (name, outcomes) =>
      Effect.orDie(Effect.map(recorded(name, outcomes), (rows) => new Set(rows.map(({ position }) => position)))),
    waiting: (name, { failed, limit }) =>
      itemRows.all(sql`
        SELECT ${sql.literal(columns)} FROM /* every organisation */ consumed_events AS i
        WHERE i.consumer = ${name}
          AND (${failed ? ruleOf(sql, hasFailed, "i") : sql`true`})
        ORDER BY i.position LIMIT ${limit}::int4`),
    findForUpdate: (name, event_id) =>
      itemRows.first(sql`
        SELECT ${sql.literal(columns)} FROM /* every organisation */ consumed_events AS i
        WHERE i.consumer = ${name} AND i.event_id = ${event_id} FOR UPDATE`),
    releaseAll: runOrDie(sql`
        UPDATE /* every organisation */ consumed_events AS i SET lease_until = to_timestamp(0) WHERE i.lease_id IS NOT NULL`)
  }
}
