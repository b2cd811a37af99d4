import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { WebhookEndpoint } from "../../domain/WebhookEndpoint.ts"
import { WebhookEndpointStore } from "../../ports/WebhookEndpointStore.ts"
import { makeList } from "./Listing.ts"
import { rowsOf } from "./Rows.ts"
import { insertRecord, updateRecord } from "./Writing.ts"

export const rows = rowsOf(WebhookEndpoint)

export const layer: Layer.Layer<WebhookEndpointStore, never, SqlClient.SqlClient> = Layer.effect(
  WebhookEndpointStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(rows.columns("t"))

    /** The organisation's row is what those who count wait for. Its readers and the keys that refer to it do not. */
    const countForUpdate = Effect.fnUntraced(function* (organisation_id: string) {
      yield* sql`SELECT id FROM organisations WHERE id = ${organisation_id} FOR NO KEY UPDATE`
      const [row] = yield* sql<{ readonly count: number }>`
        SELECT count(*)::int4 AS count FROM webhook_endpoints
        WHERE organisation_id = ${organisation_id} AND deleted_at IS NULL`
      return row?.count ?? 0
    }, Effect.orDie)

    return WebhookEndpointStore.of({
      insert: (endpoint) => Effect.asVoid(Effect.orDie(insertRecord(sql, "webhook_endpoints", endpoint))),
      countForUpdate,
      find: (organisation_id, id) =>
        rows.first(sql`
          SELECT ${columns} FROM webhook_endpoints AS t
          WHERE t.organisation_id = ${organisation_id} AND t.id = ${id} AND t.deleted_at IS NULL`),
      findForUpdate: (organisation_id, id) =>
        rows.first(sql`
          SELECT ${columns} FROM webhook_endpoints AS t
          WHERE t.organisation_id = ${organisation_id} AND t.id = ${id} FOR NO KEY UPDATE`),
      update: (endpoint) => Effect.asVoid(Effect.orDie(updateRecord(sql, "webhook_endpoints", endpoint))),
      list: makeList(sql, { rows, table: "webhook_endpoints", hiddenBy: "deleted_at" })
    })
  })
)
