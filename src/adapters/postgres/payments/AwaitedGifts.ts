import { DateTime } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { awaitedTransferRule, lapsedTransferRule } from "../../../domain/payments/Charge.ts"
import { AwaitedGift } from "../../../domain/payments/GiftCandidate.ts"
import type { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { endOf } from "../giving/DonorStore.ts"
import { integer, rowsOf, ruleOf } from "../records/Rows.ts"

const rows = rowsOf(AwaitedGift, { amount_cents: integer, received_cents: integer })

/** Transfers with who was to make them, and with how much of them has come. */
const described = (sql: SqlClient.SqlClient, organisation_id: string, found: Fragment) => sql`
  SELECT t.id AS charge_id, t.integration_id, t.amount_cents, t.currency, f.received::int8 AS received_cents, t.status,
    t.reference, d.id AS donor_id, t.created_at,
    CASE WHEN d.id IS NULL THEN p.submitted_donor ->> 'first_name' ELSE d.first_name END AS first_name,
    CASE WHEN d.id IS NULL THEN p.submitted_donor ->> 'last_name' ELSE d.last_name END AS last_name,
    CASE WHEN d.id IS NULL THEN p.submitted_donor ->> 'organisation_name' ELSE d.organisation_name END
      AS organisation_name
  FROM (${found}) AS f
  JOIN charges AS t ON t.organisation_id = ${organisation_id} AND t.id = f.id
  LEFT JOIN donations AS g ON g.organisation_id = ${organisation_id} AND g.id = t.subject_id
  LEFT JOIN payments AS p ON p.organisation_id = ${organisation_id} AND p.id = t.subject_id
  LEFT JOIN donors AS d ON d.organisation_id = ${organisation_id} AND d.id = coalesce(g.donor_id, p.link_donor_id)`

export const makePartPaidGifts =
  (sql: SqlClient.SqlClient): ChargeStore["Service"]["partPaidGifts"] =>
  (organisation_id, limit) =>
    rows.all(sql`
      ${described(
        sql,
        organisation_id,
        sql`
          SELECT t.id, sum(c.amount_cents) AS received FROM charges AS t
          JOIN credits AS c ON c.organisation_id = ${organisation_id} AND c.charge_id = t.id
          WHERE t.organisation_id = ${organisation_id} AND ${ruleOf(sql, awaitedTransferRule, "t")}
          GROUP BY t.organisation_id, t.id ORDER BY t.created_at DESC, t.id LIMIT ${limit}::int4`
      )} ORDER BY t.created_at DESC, t.id`)

/** Transfers that a payment may be for: each way to find them reads an index of its own. */
export const makeAwaitedGifts =
  (sql: SqlClient.SqlClient): ChargeStore["Service"]["awaitedGifts"] =>
  (organisation_id, { amount_cents, currency, integrations, lapsedSince, limit, names, references, words }) => {
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
         CROSS JOIN LATERAL (
           SELECT g.id FROM donations AS g
           WHERE g.organisation_id = ${organisation_id} AND g.donor_id = w.donor_id
             AND g.payment_method = 'bank_transfer'
           UNION ALL
           SELECT p.id FROM payments AS p
           WHERE p.organisation_id = ${organisation_id} AND p.link_donor_id = w.donor_id) AS g
         JOIN charges AS t ON t.organisation_id = ${organisation_id} AND t.subject_id = g.id
         WHERE ${payable}
         GROUP BY t.id, t.created_at
         ORDER BY count(DISTINCT s.first) DESC, t.created_at DESC, t.id LIMIT ${limit}::int4)
        UNION
        (SELECT t.id FROM payments AS p
         JOIN charges AS t ON t.organisation_id = ${organisation_id} AND t.subject_id = p.id
         WHERE p.organisation_id = ${organisation_id} AND p.payer_names && ${[...names]}::text[] AND ${payable}
         ORDER BY t.created_at DESC, t.id LIMIT ${limit}::int4)
      )
      ${described(
        sql,
        organisation_id,
        sql`
          SELECT f.id, (
            SELECT coalesce(sum(c.amount_cents), 0) FROM credits AS c
            WHERE c.organisation_id = ${organisation_id} AND c.charge_id = f.id) AS received
          FROM found AS f`
      )}`)
  }
