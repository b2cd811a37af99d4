import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Integration } from "../../../domain/access/Integration.ts"
import type { IntegrationId } from "../../../domain/kernel/Ids.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { makeRecords } from "../records/Records.ts"
import { rowsOf } from "../records/Rows.ts"

const rows = rowsOf(Integration)

export const layer: Layer.Layer<IntegrationStore, never, SqlClient.SqlClient> = Layer.effect(
  IntegrationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return IntegrationStore.of({
      ...makeRecords<Integration, IntegrationId>(sql, { rows, table: "integrations" }),
      findByPassphrase: (hashes) =>
        rows.first(sql`
          SELECT ${sql.literal(rows.columns("t"))}
          FROM unnest(${hashes.map(({ key_id }) => key_id)}::text[], ${hashes.map(({ hash }) => hash)}::text[])
            AS h (key_id, hash)
          JOIN /* every organisation */ integrations AS t ON t.passphrase_hash = h.hash AND t.passphrase_key_id = h.key_id
          LIMIT 1`)
    })
  })
)
