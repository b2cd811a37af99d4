import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { Id, TransferAttempt } from "../../../domain/sharing/TransferAttempt.ts"
import { type DueTransfer, TransferAttemptStore } from "../../../ports/sharing/TransferAttemptStore.ts"
import { afterCommit } from "../connection/Level.ts"
import { makeSharedHint, type Notifications } from "../connection/Notifications.ts"
import { cents } from "../payments/Cents.ts"
import { makeNow } from "../payments/ChargeClaim.ts"
import { type DueRows, leasedInOrder, nextDues, nowOf } from "../records/FairQueue.ts"
import { makeRecords } from "../records/Records.ts"
import { rowsOf } from "../records/Rows.ts"

const table = "transfer_attempts"

const rows = rowsOf(TransferAttempt, { amount_cents: cents })

const awaiting: DueRows = { table, due: "look_at", time: "organisation" }

const columns = "t.organisation_id, t.id"

const isDue = Schema.is(Schema.Struct({ organisation_id: OrganisationId, id: Id }))

/** Attempts on the database, by its clock. */
export const layer: Layer.Layer<TransferAttemptStore, never, SqlClient.SqlClient | Notifications> = Layer.effect(
  TransferAttemptStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { raise, wait } = yield* makeSharedHint("transfers")
    const records = makeRecords<TransferAttempt, Id>(sql, { rows, table })
    return TransferAttemptStore.of({
      ...records,
      insert: (attempt) => Effect.andThen(records.insert(attempt), afterCommit(raise)),
      now: makeNow(sql),
      claim: (limit, lease, only) =>
        Effect.orDie(
          Effect.map(
            leasedInOrder(sql, awaiting, { columns, lease, limit, only }),
            (found): ReadonlyArray<DueTransfer> => found.filter((row) => isDue(row))
          )
        ),
      lookNow: (organisation_id, payment_id) =>
        Effect.andThen(
          Effect.orDie(sql`
            UPDATE transfer_attempts
            SET look_at = least(look_at, ${nowOf(sql, organisation_id)})
            WHERE organisation_id = ${organisation_id} AND payment_id = ${payment_id}
              AND look_at IS NOT NULL AND looks > 0`),
          afterCommit(raise)
        ),
      ofAllocation: (organisation_id, allocation_id) =>
        rows.all(sql`
          SELECT ${sql.literal(rows.columns("t"))} FROM transfer_attempts AS t
          WHERE t.organisation_id = ${organisation_id} AND t.allocation_id = ${allocation_id}`),
      ...nextDues(sql, awaiting),
      wait
    })
  })
)
