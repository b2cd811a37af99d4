import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { RecipientAccountLinkId } from "../../../domain/kernel/Ids.ts"
import { Payable, RecipientAccount } from "../../../domain/sharing/RecipientAccount.ts"
import { RecipientAccountStore } from "../../../ports/sharing/RecipientAccountStore.ts"
import { readForChange } from "../connection/DeferredTransaction.ts"
import { makeRecords } from "../records/Records.ts"
import { insertRecord } from "../records/RecordWriter.ts"
import { rowsOf } from "../records/Rows.ts"

const rows = rowsOf(RecipientAccount)
const payable = rowsOf(Payable)

const table = "recipient_accounts"

export const layer: Layer.Layer<RecipientAccountStore, never, SqlClient.SqlClient> = Layer.effect(
  RecipientAccountStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(rows.columns("t"))

    const heldFor = ({ organisation_id, recipient_integration_id }: RecipientAccount) =>
      rows.first(sql`
        SELECT ${columns} FROM recipient_accounts AS t
        WHERE t.organisation_id = ${organisation_id} AND t.recipient_integration_id = ${recipient_integration_id}
        FOR NO KEY UPDATE`)

    /** Waits for a transaction that is writing the same link; when that one rolls back, it tries again. */
    const findOrInsert = (
      link: RecipientAccount
    ): Effect.Effect<{ readonly link: RecipientAccount; readonly created: boolean }> =>
      Effect.gen(function* () {
        const written = yield* Effect.orDie(
          sql`
            ${insertRecord(sql, table, link)}
            ON CONFLICT (organisation_id, recipient_integration_id) DO NOTHING RETURNING id`
        )
        if (written.length > 0) return { link, created: true }
        const holder = yield* heldFor(link)
        return Option.isSome(holder) ? { link: holder.value, created: false } : yield* findOrInsert(link)
      })

    return RecipientAccountStore.of({
      ...makeRecords<RecipientAccount, RecipientAccountLinkId>(sql, { rows, table }),
      findOrInsert,
      findManyForShare: (organisation_id, ids) =>
        payable.all(
          readForChange(sql, {
            table,
            strength: "FOR SHARE",
            organisation_id,
            select: sql.literal(payable.columns("t")),
            where: sql`WHERE t.organisation_id = ${organisation_id} AND t.id = ANY(${[...ids]}::text[])`,
            order: sql`ORDER BY t.id`
          })
        )
    })
  })
)
