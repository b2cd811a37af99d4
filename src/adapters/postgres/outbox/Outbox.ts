import { Effect, Predicate, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { idDigits, idPrefixes } from "../../../domain/kernel/Ids.ts"
import { type Event, EventJson, EventRecord } from "../../../domain/outbox/Event.ts"
import { active } from "../../../domain/outbox/WebhookEndpoint.ts"
import { DeliverySignal } from "../../../ports/outbox/DeliverySignal.ts"
import { Outbox } from "../../../ports/outbox/Outbox.ts"
import { runWrite } from "../connection/DeferredTransaction.ts"
import { afterCommit } from "../connection/LazyConnection.ts"
import { addition } from "../connection/OneStatement.ts"
import { makeList } from "../records/ListPage.ts"
import { storeFrom } from "../records/Records.ts"
import { rowsOf, ruleOf, toRow } from "../records/Rows.ts"
import { EventHint } from "./EventHint.ts"

/** An event as the row that {@link eventsAndDeliveries} takes. */
export const eventRow = (event: Event): Readonly<Record<string, unknown>> =>
  toRow({ ...event, created_at: event.occurred_at })

const eventPrefix = idPrefixes.event.length + 1

/** `Delivery.idFor` in SQL. */
const deliveryId = `'${idPrefixes.delivery}_' || substr(w.id, ${eventPrefix + 1}, length(w.id) - ${eventPrefix + 1})
  || substr('${idDigits}', s.ordinal + 1, 1)`

/** For {@link eventsAndDeliveries}: an event that the organisation has already is left out. */
const withoutRepetitions = "ON CONFLICT (organisation_id, type, dedupe_key) WHERE dedupe_key IS NOT NULL DO NOTHING"

/**
 * Two common table expressions, `written` and `addressed`: they insert the events that a query answers, and for each a
 * delivery to every endpoint that receives it (`WebhookEndpoint.receives`), due at once by the database's clock, too, which is
 * cut to milliseconds: the column would round it up. The endpoints are looked up for each event: a plan that was made for
 * few tenants stays right for many.
 */
export const eventsAndDeliveries = (sql: SqlClient.SqlClient, events: Fragment, onConflict = ""): Fragment => sql`
  written AS (
    INSERT INTO events (organisation_id, id, type, occurred_at, created_at, dedupe_key, body)
    SELECT v.organisation_id, v.id, v.type, v.occurred_at, v.created_at, v.dedupe_key, v.body FROM (${events}) AS v
    ${sql.literal(onConflict)}
    RETURNING organisation_id, id, type, occurred_at
  ),
  addressed AS (
    INSERT INTO pending_deliveries
      (organisation_id, id, endpoint_id, event_id, event_type, attempt_count, next_attempt_at, created_at, updated_at)
    SELECT w.organisation_id, ${sql.literal(deliveryId)}, s.id, w.id, w.type, 0,
           least(w.occurred_at, date_trunc('milliseconds', now())), w.occurred_at, w.occurred_at
    FROM written AS w CROSS JOIN LATERAL (
      SELECT e.id, (row_number() OVER (ORDER BY e.id))::int4 AS ordinal FROM webhook_endpoints AS e
      WHERE e.organisation_id = w.organisation_id AND ${ruleOf(sql, active, "e")} AND w.type = ANY(e.event_types)
    ) AS s
    RETURNING 1
  )`

const appended = (sql: SqlClient.SqlClient, rows: ReadonlyArray<object>) => {
  const given = sql`SELECT * FROM jsonb_populate_recordset(NULL::events, ${JSON.stringify(rows)}::jsonb) AS g`
  return {
    sees: "webhook_endpoints",
    direct: () => sql`
      WITH ${eventsAndDeliveries(sql, given, withoutRepetitions)}
      SELECT count(*)::int4 AS deliveries FROM addressed`,
    gated: (condition: Fragment) => eventsAndDeliveries(sql, sql`${given} WHERE ${condition}`, withoutRepetitions)
  }
}

/** Reads the text of an event; throws at one that is none. */
export const readBody = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ data: EventJson })))

export const eventRows = rowsOf(EventRecord, { data: { name: "body", read: (body) => readBody(body).data } })

export const layer = storeFrom(Outbox, function* (sql) {
  const signal = yield* DeliverySignal
  const hint = yield* EventHint
  const columns = sql.literal(eventRows.columns("t"))

  return {
    append: Effect.fnUntraced(function* (events) {
      let isRaised = false
      yield* runWrite({
        ...addition("events", events.map(eventRow), (rows) => appended(sql, rows)),
        told: ([row]) => {
          isRaised = Predicate.hasProperty(row, "deliveries") && row.deliveries !== 0
        }
      })
      yield* afterCommit(
        Effect.andThen(
          hint.raise,
          Effect.suspend(() => (isRaised ? signal.raise : Effect.void))
        )
      )
    }, Effect.orDie),
    find: (organisation_id, id) =>
      eventRows.first(
        sql`SELECT ${columns} FROM events AS t WHERE t.organisation_id = ${organisation_id} AND t.id = ${id}`
      ),
    list: makeList(sql, { rows: eventRows, table: "events" })
  }
})
