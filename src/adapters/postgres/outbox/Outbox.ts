import { Effect, Layer, Predicate, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { EventJson, EventRecord } from "../../../domain/outbox/Event.ts"
import { DeliverySignal } from "../../../ports/outbox/DeliverySignal.ts"
import { Outbox } from "../../../ports/outbox/Outbox.ts"
import { runWrite } from "../connection/DeferredTransaction.ts"
import { afterCommit } from "../connection/Level.ts"
import { makeList } from "../records/ListPage.ts"
import { rowsOf } from "../records/Rows.ts"
import { EventHint } from "./EventHint.ts"
import { eventRow, eventsAndDeliveries, withoutRepetitions } from "./EventWriting.ts"

/** Reads the text of an event; throws at one that is none. */
export const readBody = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ data: EventJson })))

/** Events as they are read. */
export const eventRows = rowsOf(EventRecord, { data: { name: "body", read: (body) => readBody(body).data } })

export const layer: Layer.Layer<Outbox, never, SqlClient.SqlClient | DeliverySignal | EventHint> = Layer.effect(
  Outbox,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const signal = yield* DeliverySignal
    const hint = yield* EventHint
    const columns = sql.literal(eventRows.columns("t"))

    return Outbox.of({
      append: Effect.fnUntraced(function* (events) {
        const rows = JSON.stringify(events.map(eventRow))
        const given = sql`SELECT * FROM jsonb_populate_recordset(NULL::events, ${rows}::jsonb) AS g`
        let isRaised = false
        yield* runWrite({
          part: "events",
          direct: () => sql`
            WITH ${eventsAndDeliveries(sql, given, withoutRepetitions)}
            SELECT count(*)::int4 AS deliveries FROM addressed`,
          gated: (condition) => eventsAndDeliveries(sql, sql`${given} WHERE ${condition}`, withoutRepetitions),
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
    })
  })
)
