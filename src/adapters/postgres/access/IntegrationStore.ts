import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Integration, TransferAccount } from "../../../domain/access/Integration.ts"
import type { IntegrationId } from "../../../domain/kernel/Ids.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { readBeside } from "../connection/DeferredTransaction.ts"
import { makeRecords } from "../records/Records.ts"
import { rowsOf } from "../records/Rows.ts"

const rows = rowsOf(Integration)
const accounts = rowsOf(TransferAccount)

export const layer: Layer.Layer<IntegrationStore, never, SqlClient.SqlClient> = Layer.effect(
  IntegrationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(rows.columns("t"))
    const select = sql`SELECT ${columns} FROM integrations AS t`
    return IntegrationStore.of({
      ...makeRecords<Integration, IntegrationId>(sql, { rows, table: "integrations" }),
      find: (organisation_id, id) =>
        rows.first(readBeside(sql`${select} WHERE t.organisation_id = ${organisation_id} AND t.id = ${id}`)),
      defaultAnd: (organisation_id, ids) =>
        accounts.all(
          readBeside(sql`
            SELECT ${sql.literal(accounts.columns("t"))} FROM /* every organisation */ integrations AS t
            WHERE t.id = ANY(${ids}::text[]) OR (t.organisation_id = ${organisation_id} AND t.is_default AND t.is_active)`)
        ),
      ofId: (id) =>
        rows.first(sql`
          SELECT ${columns} FROM /* every organisation */ integrations AS t WHERE t.id = ${id}`),
      ofAccount: (processor, account) =>
        rows.all(sql`
          SELECT ${columns} FROM /* every organisation */ integrations AS t
          WHERE t.processor_connect_account_id = ${account} AND t.processor = ${processor}`),
      findByPassphrase: (hashes) =>
        rows.first(sql`
          SELECT ${columns}
          FROM unnest(${hashes.map(({ key_id }) => key_id)}::text[], ${hashes.map(({ hash }) => hash)}::text[])
            AS h (key_id, hash)
          JOIN /* every organisation */ integrations AS t ON t.passphrase_hash = h.hash AND t.passphrase_key_id = h.key_id
          LIMIT 1`)
    })
  })
)
