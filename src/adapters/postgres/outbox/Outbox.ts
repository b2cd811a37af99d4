import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { EventJson, EventRecord } from "../../../domain/outbox/Event.ts"
import { DeliverySignal } from "../../../ports/outbox/DeliverySignal.ts"
import { Outbox } from "../../../ports/outbox/Outbox.ts"
import { makeList } from "../records/Listing.ts"
import { rowsOf } from "../records/Rows.ts"
import { eventRow, eventsAndDeliveries, withoutRepetitions } from "./EventWriting.ts"

const readBody = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ data: EventJson })))

const rows = rowsOf(EventRecord, { data: { name: "body", read: (body) => readBody(body).data } })

export const layer: Layer.Layer<Outbox, never, SqlClient.SqlClient | DeliverySignal> = Layer.effect(
  Outbox,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const signal = yield* DeliverySignal
    const columns = sql.literal(rows.columns("t"))

    return Outbox.of({
      append: Effect.fnUntraced(function* (events) {
        const given = sql`SELECT * FROM jsonb_populate_recordset(NULL::events, ${JSON.stringify(events.map(eventRow))}::jsonb)`
        const [row] = yield* sql<{ readonly deliveries: number }>`
          WITH ${eventsAndDeliveries(sql, given, withoutRepetitions)} SELECT count(*)::int4 AS deliveries FROM addressed`
        if (row !== undefined && row.deliveries > 0) yield* sql.afterCommit(signal.raise)
      }, Effect.orDie),
      find: (organisation_id, id) =>
        rows.first(
          sql`SELECT ${columns} FROM events AS t WHERE t.organisation_id = ${organisation_id} AND t.id = ${id}`
        ),
      list: makeList(sql, { rows, table: "events" })
    })
  })
)
