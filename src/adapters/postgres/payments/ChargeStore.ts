import { DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { ChargeId } from "../../../domain/kernel/Ids.ts"
import { awaitedTransferRule, Charge, unendedRule } from "../../../domain/payments/Charge.ts"
import { undecidedRule } from "../../../domain/payments/Dispute.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { afterCommit } from "../connection/LazyConnection.ts"
import { makeSharedHint } from "../connection/Notifications.ts"
import { makeDueRecords, nowOf } from "../records/FairQueue.ts"
import { storeFrom } from "../records/Records.ts"
import { integer, rowsOf, ruleOf } from "../records/Rows.ts"
import { makeNow } from "../records/StoreTime.ts"
import { makeManyUniqueRecords } from "../records/UniqueRecords.ts"
import { makeAwaitedGifts, makePartPaidGifts } from "./AwaitedGifts.ts"

const rows = rowsOf(Charge, { amount_cents: integer, processor_fee_cents: integer })

const uniques = [
  { columns: ["submission_id"], constraint: "charges_submission", record: "charge", field: "submission_id" },
  { columns: ["integration_id", "reference"], constraint: "charges_reference", record: "charge", field: "reference" }
]

const readAttached = Schema.decodeUnknownSync(
  Schema.Tuple([Schema.Struct({ refunds: Schema.Boolean, disputes: Schema.Boolean, exceptions: Schema.Boolean })])
)

/** Of which kinds any record hangs on a charge, by a statement of its own: one that waits for a lock sees what was there before. */
const makeAttached =
  (sql: SqlClient.SqlClient): ChargeStore["Service"]["attached"] =>
  (organisation_id, id) => {
    const hangs = (table: string) => sql`EXISTS (
      SELECT FROM ${sql(table)} AS h WHERE h.organisation_id = ${organisation_id} AND h.charge_id = ${id})`
    const kinds = sql`
      SELECT ${hangs("refunds")} AS refunds, ${hangs("disputes")} AS disputes,
        ${hangs("payment_exceptions")} AS exceptions`
    return Effect.orDie(Effect.map(kinds, (found) => readAttached(found)[0]))
  }

export const layer = storeFrom(ChargeStore, function* (sql) {
  const { raise, wait } = yield* makeSharedHint("charges")
  const columns = sql.literal(rows.columns("t"))
  return {
    ...makeManyUniqueRecords(sql, yield* Transaction, { rows, table: "charges", uniques }),
    now: makeNow(sql),
    ofSubmission: (organisation_id, submission_id) =>
      rows.first(sql`
          SELECT ${columns} FROM charges AS t
          WHERE t.organisation_id = ${organisation_id} AND t.submission_id = ${submission_id}`),
    ofId: (id) => rows.first(sql`SELECT ${columns} FROM /* every organisation */ charges AS t WHERE t.id = ${id}`),
    ofProcessor: (processor, reference) =>
      rows.all(sql`
          SELECT ${columns} FROM /* every organisation */ charges AS t
          JOIN integrations AS i ON i.organisation_id = t.organisation_id AND i.id = t.integration_id
          WHERE t.reference = ${reference} AND i.processor = ${processor}`),
    ofReference: (integration_id, reference) =>
      rows.first(sql`
          SELECT ${columns} FROM /* every organisation */ charges AS t
          WHERE t.integration_id = ${integration_id} AND t.reference = ${reference}`),
    ofIds: (organisation_id, ids) =>
      rows.all(sql`
          SELECT ${columns} FROM charges AS t
          WHERE t.organisation_id = ${organisation_id} AND t.id = ANY (${ids}::text[])`),
    ofReferences: (organisation_id, integrations, references) =>
      rows.all(sql`
          SELECT ${columns} FROM charges AS t
          WHERE t.organisation_id = ${organisation_id} AND t.integration_id = ANY (${integrations}::text[])
            AND t.reference = ANY (${references}::text[])`),
    unsettledOf: (organisation_id, mandate_id) =>
      rows.all(sql`
          SELECT ${columns} FROM charges AS t
          WHERE t.organisation_id = ${organisation_id} AND t.mandate_id = ${mandate_id}
            AND (${ruleOf(sql, unendedRule, "t")} OR EXISTS (
              SELECT FROM disputes AS d
              WHERE d.organisation_id = ${organisation_id} AND d.charge_id = t.id AND ${ruleOf(sql, undecidedRule, "d")}))`),
    attached: makeAttached(sql),
    // What is due already keeps its place.
    lookNow: (organisation_id, id) =>
      Effect.andThen(
        Effect.orDie(sql`
            UPDATE charges SET look_at = least(look_at, ${nowOf(sql, organisation_id)})
            WHERE organisation_id = ${organisation_id} AND id = ${id}`),
        afterCommit(raise)
      ),
    lookAtTransfers: (organisation_id, integrations, { from, until }) =>
      Effect.andThen(
        Effect.orDie(sql`
          UPDATE charges SET look_at = least(look_at, ${nowOf(sql, organisation_id)})
          WHERE organisation_id = ${organisation_id} AND id IN (
            SELECT t.id FROM charges AS t
            WHERE t.organisation_id = ${organisation_id} AND ${ruleOf(sql, awaitedTransferRule, "t")}
              AND t.integration_id = ANY (${integrations}::text[]) AND t.ending IS NULL
              AND t.created_at >= ${DateTime.toDateUtc(from)} AND t.created_at < ${DateTime.toDateUtc(until)}
            FOR UPDATE SKIP LOCKED)`),
        afterCommit(raise)
      ),
    awaitedGifts: makeAwaitedGifts(sql),
    partPaidGifts: makePartPaidGifts(sql),
    ...makeDueRecords(sql, "charges", ChargeId),
    wait
  }
})
