import type { SqlClient } from "effect/sql"
import * as Refund from "../../../domain/giving/Refund.ts"
import * as Charge from "../../../domain/payments/Charge.ts"
import * as Dispute from "../../../domain/payments/Dispute.ts"
import * as PaymentException from "../../../domain/payments/PaymentException.ts"
import { shownMaximum } from "../../../ports/payments/LedgerStore.ts"
import { ruleOf } from "../records/Rows.ts"

const net = (account: string, cause: string) => `(
  coalesce(sum(e.amount_cents) FILTER (WHERE e.cause = '${cause}' AND e.to_account = '${account}'), 0)
  - coalesce(sum(e.amount_cents) FILTER (WHERE e.cause = '${cause}' AND e.from_account = '${account}'), 0))`

/** The account of which balances tell, of one that an entry names (`balancesOf`). */
const balanced = (account: string) => `CASE WHEN ${account} LIKE 'recipient:%' THEN 'recipients' ELSE ${account} END`

const toRecipients = `(
  coalesce(sum(e.amount_cents) FILTER (WHERE e.to_account LIKE 'recipient:%'), 0)
  - coalesce(sum(e.amount_cents) FILTER (WHERE e.from_account LIKE 'recipient:%'), 0))`

const booked = (sql: SqlClient.SqlClient) => sql`
  SELECT e.organisation_id, e.charge_id, min(e.currency) AS currency, max(e.currency) AS another,
    coalesce(sum(e.amount_cents) FILTER (WHERE e.cause = 'charge' AND e.from_account IN ('donor', 'unmatched')), 0) AS taken,
    ${sql.literal(net("processor_fees", "charge"))} AS fee,
    ${sql.literal(net("platform_fees", "charge"))} AS platform_fee,
    ${sql.literal(net("processor_fees", "dispute"))} AS dispute_fee,
    ${sql.literal(net("donor", "refund"))} AS refunded,
    ${sql.literal(net("disputed", "dispute"))} AS disputed,
    ${sql.literal(net("donor", "dispute"))} AS lost,
    ${sql.literal(toRecipients)} AS transferred
  FROM /* every organisation */ ledger_entries AS e WHERE e.charge_id IS NOT NULL
  GROUP BY e.organisation_id, e.charge_id`

/** The refunded amount, charge by charge: refunds that lost disputes wrote are the disputes' in the books. */
const refunded = (sql: SqlClient.SqlClient) => sql`
  SELECT r.organisation_id, r.charge_id,
    coalesce(sum(r.amount_cents) FILTER (WHERE ${ruleOf(sql, Refund.paidRule, "r")} AND d.id IS NULL), 0) AS paid,
    coalesce(sum(r.amount_cents) FILTER (WHERE ${ruleOf(sql, Refund.countedRule, "r")}), 0) AS counted
  FROM /* every organisation */ refunds AS r
  LEFT JOIN disputes AS d
    ON d.organisation_id = r.organisation_id AND d.charge_id = r.charge_id AND d.refund_id = r.id
  WHERE r.charge_id IS NOT NULL GROUP BY r.organisation_id, r.charge_id`

const disputed = (sql: SqlClient.SqlClient) => sql`
  SELECT d.organisation_id, d.charge_id, coalesce(sum(d.fee_cents), 0) AS fee,
    coalesce(sum(d.amount_cents) FILTER (WHERE ${ruleOf(sql, Dispute.undecidedRule, "d")}), 0) AS open,
    coalesce(sum(d.amount_cents) FILTER (WHERE ${ruleOf(sql, Dispute.lostRule, "d")}), 0) AS lost
  FROM /* every organisation */ disputes AS d GROUP BY d.organisation_id, d.charge_id`

/** The platform's fee by its rate (`feeOf` of Fees.ts), at most what the processor's fee leaves. */
const platformFee = (
  sql: SqlClient.SqlClient
) => sql`CASE WHEN ${ruleOf(sql, Charge.paidRule, "c")} AND c.processor_fee_cents IS NOT NULL THEN least(
    (c.amount_cents * (c.platform_rate ->> 'basis_points')::int8 + 5000) / 10000 + (c.platform_rate ->> 'fixed_cents')::int8,
    c.amount_cents, greatest(0, c.amount_cents - c.processor_fee_cents)) ELSE 0 END`

const giftAgrees = (
  sql: SqlClient.SqlClient
) => sql`c.purpose <> 'donation' OR (g.id IS NOT NULL AND g.amount_cents = c.amount_cents
    AND g.currency = c.currency AND g.refunded_amount_cents = coalesce(r.counted, 0) AND g.status = ANY (CASE
      WHEN ${ruleOf(sql, Charge.paidRule, "c")} THEN '{CONFIRMED,REFUNDED}'::text[]
      WHEN ${ruleOf(sql, Charge.unpaid, "c")} THEN '{FAILED}'::text[] ELSE '{PENDING}'::text[] END))`

const transferred = (sql: SqlClient.SqlClient) => sql`CASE WHEN c.purpose = 'payment' THEN (
    SELECT coalesce(sum(a.net_amount_cents), 0) FROM payment_allocations AS a
    WHERE a.organisation_id = c.organisation_id AND a.payment_id = c.subject_id
      AND ${ruleOf(sql, Charge.distributedRule, "a")}
  ) ELSE 0 END`

/** The rules of `disagreementOf` in Disagreement.ts, which is held beside this. */
const compared = (sql: SqlClient.SqlClient) => sql`
  SELECT c.organisation_id, c.currency, c.id AS charge_id, CASE
    WHEN b.currency <> c.currency OR b.another <> c.currency THEN 'currency'
    WHEN coalesce(b.taken, 0) <> CASE WHEN ${ruleOf(sql, Charge.paidRule, "c")} 
        OR (late.charge_id IS NOT NULL AND c.method <> 'bank_transfer') THEN c.amount_cents ELSE 0 END
      THEN 'taken'
    WHEN coalesce(b.fee, 0) <> coalesce(c.processor_fee_cents, 0)
      OR coalesce(b.platform_fee, 0) <> ${platformFee(sql)}
      OR coalesce(b.dispute_fee, 0) <> coalesce(d.fee, 0) THEN 'fees'
    WHEN coalesce(b.refunded, 0) <> coalesce(r.paid, 0) THEN 'refunded'
    WHEN coalesce(b.disputed, 0) <> coalesce(d.open, 0) OR coalesce(b.lost, 0) <> coalesce(d.lost, 0) THEN 'disputed'
    WHEN coalesce(b.transferred, 0) <> ${transferred(sql)} THEN 'transferred'
    WHEN NOT (${giftAgrees(sql)}) THEN 'gift' END AS what
  FROM /* every organisation */ charges AS c
  LEFT JOIN booked AS b ON b.organisation_id = c.organisation_id AND b.charge_id = c.id
  LEFT JOIN refunded AS r ON r.organisation_id = c.organisation_id AND r.charge_id = c.id
  LEFT JOIN disputed AS d ON d.organisation_id = c.organisation_id AND d.charge_id = c.id
  LEFT JOIN donations AS g ON g.organisation_id = c.organisation_id AND g.id = c.subject_id
  LEFT JOIN (
    SELECT DISTINCT x.organisation_id, x.charge_id FROM /* every organisation */ payment_exceptions AS x
    WHERE x.kind = 'late_success'
  ) AS late ON late.organisation_id = c.organisation_id AND late.charge_id = c.id`

/** The sums as text: they may be larger than any type of the driver's. */
export const balances = (sql: SqlClient.SqlClient) => sql`
  WITH moved AS (
    SELECT e.organisation_id, e.currency, ${sql.literal(balanced("m.account"))} AS account, sum(m.cents) AS cents
    FROM /* every organisation */ ledger_entries AS e
    CROSS JOIN LATERAL (VALUES (e.from_account, -e.amount_cents), (e.to_account, e.amount_cents)) AS m (account, cents)
    GROUP BY 1, 2, 3
  ), balanced AS (
    SELECT organisation_id, currency, jsonb_object_agg(account, cents::text) AS balances
    FROM moved GROUP BY organisation_id, currency
  ), said AS (
    SELECT r.organisation_id, c.currency, r.amount_cents::int8 AS cents
    FROM /* every organisation */ refunds AS r
    JOIN charges AS c ON c.organisation_id = r.organisation_id AND c.id = r.charge_id
    WHERE ${ruleOf(sql, Refund.pendingRule, "r")}
    UNION ALL
    SELECT x.organisation_id, x.currency, x.held_cents
    FROM /* every organisation */ payment_exceptions AS x
    WHERE ${ruleOf(sql, PaymentException.unresolvedRule, "x")}
    UNION ALL
    SELECT c.organisation_id, c.currency, CASE WHEN c.processor_fee_cents IS NULL THEN c.amount_cents ELSE (
      SELECT coalesce(sum(a.net_amount_cents), 0) FROM payment_allocations AS a
      WHERE a.organisation_id = c.organisation_id AND a.payment_id = c.subject_id
        AND ${ruleOf(sql, Charge.undistributedRule, "a")}
    ) END
    FROM /* every organisation */ charges AS c
    WHERE ${ruleOf(sql, Charge.sharedRule, "c")}
  ), held AS (
    SELECT organisation_id, currency, sum(cents) AS cents FROM said GROUP BY organisation_id, currency
  ), booked AS (${booked(sql)}), refunded AS (${refunded(sql)}), disputed AS (${disputed(sql)}),
  compared AS (${compared(sql)}), wrong AS (
    SELECT w.organisation_id, w.currency,
      jsonb_agg(jsonb_build_object('charge_id', w.charge_id, 'what', w.what) ORDER BY w.charge_id) AS disagreements
    FROM (
      SELECT c.*, row_number() OVER (PARTITION BY c.organisation_id, c.currency ORDER BY c.charge_id) AS place
      FROM compared AS c WHERE c.what IS NOT NULL
    ) AS w WHERE w.place <= ${shownMaximum}::int4 GROUP BY w.organisation_id, w.currency
  ), places AS (
    SELECT organisation_id, currency FROM balanced
    UNION SELECT c.organisation_id, c.currency FROM /* every organisation */ charges AS c
  )
  SELECT p.organisation_id, p.currency, coalesce(b.balances, '{}') AS balances,
    coalesce(h.cents, 0)::text AS held_by_records, coalesce(w.disagreements, '[]') AS disagreements
  FROM places AS p
  LEFT JOIN balanced AS b ON b.organisation_id = p.organisation_id AND b.currency = p.currency
  LEFT JOIN held AS h ON h.organisation_id = p.organisation_id AND h.currency = p.currency
  LEFT JOIN wrong AS w ON w.organisation_id = p.organisation_id AND w.currency = p.currency
  ORDER BY p.organisation_id, p.currency`
