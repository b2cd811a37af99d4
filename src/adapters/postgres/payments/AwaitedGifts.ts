import { DateTime } from "effect"
import type { SqlClient } from "effect/sql"
import { awaitedTransferRule, lapsedTransferRule } from "../../../domain/payments/Charge.ts"
import { AwaitedGift } from "../../../domain/payments/GiftCandidate.ts"
import type { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { endOf } from "../giving/DonorStore.ts"
import { integer, rowsOf, ruleOf } from "../records/Rows.ts"

const rows = rowsOf(AwaitedGift, { amount_cents: integer })

/** Transfers that a payment may be for: each way to find them reads an index of its own. */
export const makeAwaitedGifts =
  (sql: SqlClient.SqlClient): ChargeStore["Service"]["awaitedGifts"] =>
  (organisation_id, { amount_cents, currency, integrations, lapsedSince, limit, references, words }) => {
    const payable = sql`
      t.organisation_id = ${organisation_id} AND t.integration_id = ANY (${[...integrations]}::text[])
      AND t.currency = ${currency} AND (${ruleOf(sql, awaitedTransferRule, "t")} OR (
        ${ruleOf(sql, lapsedTransferRule, "t")} AND t.ended_at >= ${DateTime.toDateUtc(lapsedSince)}
        AND NOT EXISTS (
          SELECT FROM charges AS a WHERE a.organisation_id = ${organisation_id} AND a.submission_id = t.id)))`
    return rows.all(sql`
      WITH found AS (
        (SELECT t.id FROM charges AS t WHERE ${payable} AND t.reference = ANY (${[...references]}::text[])
         ORDER BY t.created_at DESC, t.id LIMIT ${limit}::int4)
        UNION
        (SELECT t.id FROM charges AS t
         WHERE ${payable} AND t.method = 'bank_transfer' AND t.amount_cents = ${amount_cents}::int8
         ORDER BY t.created_at DESC, t.id LIMIT ${limit}::int4)
        UNION
        (SELECT t.id FROM unnest(${[...words]}::text[], ${words.map(endOf)}::text[]) AS s (first, past)
         JOIN donor_words AS w ON w.organisation_id = ${organisation_id} AND w.word >= s.first AND w.word < s.past
         JOIN donations AS g ON g.organisation_id = ${organisation_id} AND g.donor_id = w.donor_id
           AND g.payment_method = 'bank_transfer'
         JOIN charges AS t ON t.organisation_id = ${organisation_id} AND t.id = g.charge_id
         WHERE ${payable}
         GROUP BY t.id, t.created_at
         ORDER BY count(DISTINCT s.first) DESC, t.created_at DESC, t.id LIMIT ${limit}::int4)
      )
      SELECT t.id AS charge_id, t.amount_cents, t.status, t.reference, d.id AS donor_id, d.first_name, d.last_name,
        d.organisation_name, t.created_at
      FROM found AS f
      JOIN charges AS t ON t.organisation_id = ${organisation_id} AND t.id = f.id
      LEFT JOIN donations AS g ON g.organisation_id = ${organisation_id} AND g.id = t.subject_id
      LEFT JOIN donors AS d ON d.organisation_id = ${organisation_id} AND d.id = g.donor_id`)
  }
