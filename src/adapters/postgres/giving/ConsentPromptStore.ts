import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ConsentPrompt } from "../../../domain/giving/ConsentPrompt.ts"
import type { ConsentPromptId } from "../../../domain/kernel/Ids.ts"
import { ConsentPromptStore } from "../../../ports/giving/ConsentPromptStore.ts"
import { makeRecords } from "../records/Records.ts"
import { rowsOf } from "../records/Rows.ts"

const rows = rowsOf(ConsentPrompt)

export const layer: Layer.Layer<ConsentPromptStore, never, SqlClient.SqlClient> = Layer.effect(
  ConsentPromptStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    ConsentPromptStore.of({
      ...makeRecords<ConsentPrompt, ConsentPromptId>(sql, { rows, table: "consent_prompts", archivable: true }),
      asked: (organisation_id) =>
        rows.all(sql`
          SELECT ${sql.literal(rows.columns("t"))} FROM consent_prompts AS t
          WHERE t.organisation_id = ${organisation_id} AND t.archived_at IS NULL
          ORDER BY t.position, t.created_at, t.id`)
    })
  )
)
