import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import * as Donation from "../../../domain/giving/Donation.ts"
import * as Refund from "../../../domain/giving/Refund.ts"
import { OrganisationId } from "../../../domain/kernel/Ids.ts"
import * as Charge from "../../../domain/payments/Charge.ts"
import {
  Disagreement,
  movedRule,
  partStatuses,
  settledRule,
  underWayRule
} from "../../../domain/payments/Disagreement.ts"
import * as Dispute from "../../../domain/payments/Dispute.ts"
import * as Invoice from "../../../domain/payments/Invoice.ts"
import { BalancedAccount, LedgerEntry } from "../../../domain/payments/Ledger.ts"
import * as PaymentException from "../../../domain/payments/PaymentException.ts"
import { LedgerStore, type OrganisationBalances, shownMaximum } from "../../../ports/payments/LedgerStore.ts"
import { runWrite } from "../connection/DeferredTransaction.ts"
import { insertions, makeRecords, storeOf } from "../records/Records.ts"
import { integer, rowsOf, ruleOf } from "../records/Rows.ts"

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

/** That a gift `g`, `i` or `j` is the one of the charge. */
const isGiftOf = (sql: SqlClient.SqlClient, gift: string) => {
  const g = sql.literal(gift)
  return sql`(${g}.id IS NOT NULL AND ${g}.charge_id = c.id AND ${g}.amount_cents = c.amount_cents
    AND ${g}.currency = c.currency AND ${g}.refunded_amount_cents = coalesce(r.counted, 0) AND ${g}.status = ANY (CASE
      WHEN ${ruleOf(sql, Charge.paidRule, "c")} THEN '{CONFIRMED,REFUNDED}'::text[]
      WHEN ${ruleOf(sql, Charge.unpaid, "c")} THEN '{FAILED}'::text[] ELSE '{PENDING}'::text[] END))`
}

const giftAgrees = (sql: SqlClient.SqlClient) =>
  sql`coalesce(n.gifts, 0) <= 1 AND (c.purpose <> 'donation' OR ${isGiftOf(sql, "g")})`

const invoiceAgrees = (sql: SqlClient.SqlClient) => sql`coalesce(k.invoices, 0) <= 1 AND CASE WHEN i.id IS NULL
    THEN c.purpose <> 'invoice' AND NOT (${ruleOf(sql, Charge.paidRule, "c")} AND g.subscription_id IS NOT NULL) ELSE
    i.amount_cents = c.amount_cents AND i.currency = c.currency AND CASE
      WHEN ${ruleOf(sql, Charge.paidRule, "c")} THEN ${ruleOf(sql, Invoice.paidRule, "i")} AND ${isGiftOf(sql, "j")}
      ELSE NOT (${ruleOf(sql, Invoice.paidRule, "i")}) OR i.charge_id IS DISTINCT FROM c.id END END`

/** The parts of payments, payment by payment: their sum, and whether their transfers and the gifts of recipients agree. */
const shared = (sql: SqlClient.SqlClient) => sql`
  SELECT p.organisation_id, p.id AS payment_id, p.currency, sum(a.gross_amount_cents) AS gross,
    p.total_amount_cents AS total, ${ruleOf(sql, settledRule, "p")} AS is_paid,
    bool_and(
      coalesce(t.brought, 0) = CASE WHEN ${ruleOf(sql, Charge.distributedRule, "a")} THEN a.net_amount_cents ELSE 0 END
      AND coalesce(t.under_way, 0) = CASE WHEN p.transfers_begun_at IS NOT NULL AND a.net_amount_cents > 0
        AND ${ruleOf(sql, Charge.undistributedRule, "a")} THEN 1 ELSE 0 END
    ) AS attempts_agree,
    bool_and(CASE WHEN a.gross_amount_cents = 0 THEN g.id IS NULL AND l.gifts IS NULL ELSE
      g.id IS NOT NULL AND g.amount_cents = a.gross_amount_cents AND g.currency = p.currency
      AND g.status = ${JSON.stringify(partStatuses)}::jsonb ->> a.transfer_status
      AND l.gifts = CASE WHEN a.net_amount_cents > 0 THEN a.series ELSE 1 END AND l.live = CASE WHEN ${ruleOf(sql, Charge.undistributedRule, "a")}
        OR ${ruleOf(sql, Charge.distributedRule, "a")} THEN 1 ELSE 0 END END
    ) AS recipients_agree
  FROM /* every organisation */ payments AS p
  JOIN payment_allocations AS a ON a.organisation_id = p.organisation_id AND a.payment_id = p.id
  LEFT JOIN /* every organisation */ donations AS g
    ON g.organisation_id = a.recipient_organisation_id AND g.id = a.donation_id
  LEFT JOIN (
    SELECT t.organisation_id, t.allocation_id,
      sum(CASE WHEN t.reversed_id IS NULL THEN t.amount_cents ELSE -t.amount_cents END)
        FILTER (WHERE ${ruleOf(sql, movedRule, "t")}) AS brought,
      count(*) FILTER (WHERE ${ruleOf(sql, underWayRule, "t")}) AS under_way
    FROM /* every organisation */ transfer_attempts AS t GROUP BY t.organisation_id, t.allocation_id
  ) AS t ON t.organisation_id = a.organisation_id AND t.allocation_id = a.id
  LEFT JOIN (
    SELECT d.organisation_id, d.allocation_id, count(*) AS gifts,
      count(*) FILTER (WHERE ${ruleOf(sql, Donation.liveRule, "d")}) AS live
    FROM /* every organisation */ donations AS d WHERE d.allocation_id IS NOT NULL
    GROUP BY d.organisation_id, d.allocation_id
  ) AS l ON l.organisation_id = a.recipient_organisation_id AND l.allocation_id = a.id
  GROUP BY p.organisation_id, p.id, p.currency, p.total_amount_cents, p.payment_status`

const transferred = (sql: SqlClient.SqlClient) => sql`CASE WHEN c.purpose = 'payment' THEN (
    SELECT coalesce(sum(a.net_amount_cents), 0) FROM payment_allocations AS a
    WHERE a.organisation_id = c.organisation_id AND a.payment_id = c.subject_id
      AND ${ruleOf(sql, Charge.distributedRule, "a")}
  ) ELSE 0 END`

/** The rules of `disagreementOf` in Disagreement.ts, which is held beside this. */
const compared = (sql: SqlClient.SqlClient) => sql`
  SELECT c.organisation_id, c.currency, c.id AS subject_id, CASE
    WHEN b.currency <> c.currency OR b.another <> c.currency THEN 'currency'
    WHEN coalesce(b.taken, 0) <> CASE WHEN ${ruleOf(sql, Charge.paidRule, "c")} 
        OR (late.charge_id IS NOT NULL AND c.method <> 'bank_transfer') THEN c.amount_cents ELSE 0 END
      THEN 'taken'
    WHEN CASE WHEN ${ruleOf(sql, Charge.paidRule, "c")} AND c.method = 'bank_transfer'
        THEN coalesce(m.received, 0) - coalesce(m.excess, 0) <> c.amount_cents
        ELSE ${ruleOf(sql, Charge.unendedRule, "c")}
          AND coalesce(m.received, 0) - coalesce(m.excess, 0) > c.amount_cents END
      THEN 'credits'
    WHEN coalesce(b.fee, 0) <> coalesce(c.processor_fee_cents, 0)
      OR coalesce(b.platform_fee, 0) <> ${platformFee(sql)}
      OR coalesce(b.dispute_fee, 0) <> coalesce(d.fee, 0) THEN 'fees'
    WHEN coalesce(b.refunded, 0) <> coalesce(r.paid, 0) THEN 'refunded'
    WHEN coalesce(b.disputed, 0) <> coalesce(d.open, 0) OR coalesce(b.lost, 0) <> coalesce(d.lost, 0) THEN 'disputed'
    WHEN coalesce(b.transferred, 0) <> ${transferred(sql)} THEN 'transferred'
    WHEN ${ruleOf(sql, Charge.sharedRule, "c")} AND NOT coalesce(s.attempts_agree, true) THEN 'attempts'
    WHEN ${ruleOf(sql, Charge.sharedRule, "c")} AND (coalesce(s.recipients_agree, false)
      AND s.is_paid AND s.total = c.amount_cents AND s.gross = c.amount_cents AND s.currency = c.currency) IS NOT TRUE THEN 'recipients'
    WHEN NOT (${invoiceAgrees(sql)}) THEN 'invoice'
    WHEN NOT (${giftAgrees(sql)}) THEN 'gift' END AS what
  FROM /* every organisation */ charges AS c
  LEFT JOIN booked AS b ON b.organisation_id = c.organisation_id AND b.charge_id = c.id
  LEFT JOIN refunded AS r ON r.organisation_id = c.organisation_id AND r.charge_id = c.id
  LEFT JOIN disputed AS d ON d.organisation_id = c.organisation_id AND d.charge_id = c.id
  LEFT JOIN donations AS g ON g.organisation_id = c.organisation_id AND g.id = c.subject_id
  LEFT JOIN (
    SELECT d.organisation_id, d.charge_id, count(*) AS gifts FROM /* every organisation */ donations AS d
    WHERE d.charge_id IS NOT NULL GROUP BY d.organisation_id, d.charge_id
  ) AS n ON n.organisation_id = c.organisation_id AND n.charge_id = c.id
  LEFT JOIN shared AS s ON s.organisation_id = c.organisation_id AND s.payment_id = c.subject_id
  LEFT JOIN (
    SELECT i.organisation_id, c.id AS paid_by, i.id, i.amount_cents, i.currency, i.status, i.charge_id, i.donation_id
    FROM /* every organisation */ charges AS c
    JOIN invoices AS i ON i.organisation_id = c.organisation_id AND i.id = c.subject_id
    UNION ALL
    SELECT i.organisation_id, i.charge_id, i.id, i.amount_cents, i.currency, i.status, i.charge_id, i.donation_id
    FROM /* every organisation */ invoices AS i
    JOIN charges AS c ON c.organisation_id = i.organisation_id AND c.id = i.charge_id
    WHERE c.subject_id <> i.id
  ) AS i ON i.organisation_id = c.organisation_id AND i.paid_by = c.id
  LEFT JOIN (
    SELECT i.organisation_id, i.charge_id, count(*) AS invoices FROM /* every organisation */ invoices AS i
    WHERE i.charge_id IS NOT NULL AND ${ruleOf(sql, Invoice.paidRule, "i")} GROUP BY i.organisation_id, i.charge_id
  ) AS k ON k.organisation_id = c.organisation_id AND k.charge_id = c.id
  LEFT JOIN credited AS m ON m.organisation_id = c.organisation_id AND m.charge_id = c.id
  LEFT JOIN donations AS j ON j.organisation_id = c.organisation_id AND j.id = i.donation_id
  LEFT JOIN (
    SELECT DISTINCT x.organisation_id, x.charge_id FROM /* every organisation */ payment_exceptions AS x
    WHERE x.kind = 'late_success'
  ) AS late ON late.organisation_id = c.organisation_id AND late.charge_id = c.id`

/** What came to bank accounts for charges, and what of it was too much. */
const credited = (sql: SqlClient.SqlClient) => sql`
  SELECT m.organisation_id, m.charge_id, sum(m.amount_cents) AS received, sum(x.excess) AS excess
  FROM /* every organisation */ credits AS m
  LEFT JOIN (
    SELECT x.organisation_id, x.charge_id, x.subject_id, sum(x.amount_cents) AS excess
    FROM /* every organisation */ payment_exceptions AS x WHERE x.kind = 'overpaid'
    GROUP BY x.organisation_id, x.charge_id, x.subject_id
  ) AS x ON x.organisation_id = m.organisation_id AND x.charge_id = m.charge_id AND x.subject_id = m.id
  WHERE m.charge_id IS NOT NULL GROUP BY m.organisation_id, m.charge_id`

/** The records that entries name as their causes (`BookedRecord`). */
const causes = (sql: SqlClient.SqlClient) => sql`
  SELECT c.organisation_id, c.id, c.currency, NULL::int8 AS amount, NULL::int8 AS returned, FALSE AS is_booked
  FROM /* every organisation */ charges AS c
  UNION ALL SELECT m.organisation_id, m.id, m.currency, m.amount_cents, NULL, m.part_of IS NULL
  FROM /* every organisation */ credits AS m
  UNION ALL SELECT x.organisation_id, x.id, x.currency, x.held_cents, NULL, FALSE
  FROM /* every organisation */ payment_exceptions AS x
  UNION ALL SELECT t.organisation_id, t.id, t.currency, t.amount_cents, NULL, FALSE
  FROM /* every organisation */ transfer_attempts AS t
  UNION ALL SELECT d.organisation_id, d.id, c.currency, d.amount_cents,
    CASE WHEN ${ruleOf(sql, Dispute.lostRule, "d")} THEN d.amount_cents ELSE 0 END, TRUE
  FROM /* every organisation */ disputes AS d
  LEFT JOIN charges AS c ON c.organisation_id = d.organisation_id AND c.id = d.charge_id
  UNION ALL SELECT r.organisation_id, r.id, coalesce(c.currency, g.currency), r.amount_cents,
    CASE WHEN ${ruleOf(sql, Refund.paidRule, "r")} THEN r.amount_cents ELSE 0 END,
    NOT r.is_beside_gift AND (c.id IS NOT NULL OR g.id IS NOT NULL) AND NOT EXISTS (
      SELECT 1 FROM disputes AS d WHERE d.organisation_id = r.organisation_id AND d.refund_id = r.id)
  FROM /* every organisation */ refunds AS r
  LEFT JOIN charges AS c ON c.organisation_id = r.organisation_id AND c.id = r.charge_id
  LEFT JOIN donations AS g
    ON g.organisation_id = r.organisation_id AND g.id = r.donation_id AND g.credit_id IS NOT NULL`

/** The rules of `misbookedRecords` in RecordBooking.ts. */
const misbooked = (sql: SqlClient.SqlClient) => sql`
  SELECT coalesce(e.organisation_id, r.organisation_id) AS organisation_id, coalesce(e.currency, r.currency) AS currency,
    coalesce(e.id, r.id) AS subject_id, 'record' AS what
  FROM (
    SELECT e.organisation_id, e.cause_id AS id, min(e.currency) AS currency,
      min(e.amount_cents) FILTER (WHERE w.is_whole) AS least, max(e.amount_cents) FILTER (WHERE w.is_whole) AS most,
      coalesce(sum(CASE 'donor' WHEN e.to_account THEN e.amount_cents WHEN e.from_account THEN -e.amount_cents END), 0)
        AS returned
    FROM /* every organisation */ ledger_entries AS e
    CROSS JOIN LATERAL (SELECT CASE e.cause
      WHEN 'charge' THEN FALSE
      WHEN 'credit' THEN 'bank' IN (e.from_account, e.to_account)
      WHEN 'dispute' THEN 'processor_fees' NOT IN (e.from_account, e.to_account) ELSE TRUE END AS is_whole) AS w
    GROUP BY e.organisation_id, e.cause_id
  ) AS e
  FULL JOIN (${causes(sql)}) AS r ON r.organisation_id = e.organisation_id AND r.id = e.id
  WHERE r.id IS NULL OR (e.id IS NULL AND r.is_booked)
    OR (e.id IS NOT NULL AND (e.least <> r.amount OR e.most <> r.amount OR e.returned <> r.returned))`

/** The rule of `unbookedGifts` in RecordBooking.ts. */
const unbooked = (sql: SqlClient.SqlClient) => sql`
  SELECT coalesce(g.organisation_id, x.organisation_id) AS organisation_id, coalesce(g.currency, x.currency) AS currency,
    coalesce(g.id, x.donation_id) AS subject_id, 'record' AS what
  FROM (
    SELECT d.organisation_id, d.id, d.currency, d.amount_cents
    FROM /* every organisation */ donations AS d WHERE d.credit_id IS NOT NULL
  ) AS g
  FULL JOIN (
    SELECT x.organisation_id, x.donation_id, min(x.currency) AS currency, min(x.held_cents) AS cents, count(*) AS times
    FROM /* every organisation */ payment_exceptions AS x WHERE x.donation_id IS NOT NULL
    GROUP BY x.organisation_id, x.donation_id
  ) AS x ON x.organisation_id = g.organisation_id AND x.donation_id = g.id
  WHERE (g.currency, g.amount_cents, 1) IS DISTINCT FROM (x.currency, x.cents, x.times)`

const unpaid = (sql: SqlClient.SqlClient) => sql`
  SELECT p.organisation_id, p.currency, p.id AS subject_id, 'unpaid' AS what
  FROM /* every organisation */ payments AS p
  WHERE ${ruleOf(sql, settledRule, "p")} AND NOT EXISTS (
    SELECT 1 FROM charges AS c
    WHERE c.organisation_id = p.organisation_id AND c.subject_id = p.id AND ${ruleOf(sql, Charge.paidRule, "c")})`

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
    SELECT r.organisation_id, coalesce(c.currency, g.currency) AS currency, r.amount_cents::int8 AS cents
    FROM /* every organisation */ refunds AS r
    LEFT JOIN charges AS c ON c.organisation_id = r.organisation_id AND c.id = r.charge_id
    LEFT JOIN donations AS g
      ON g.organisation_id = r.organisation_id AND g.id = r.donation_id AND r.charge_id IS NULL
    WHERE ${ruleOf(sql, Refund.pendingRule, "r")} AND (c.id IS NOT NULL OR g.credit_id IS NOT NULL)
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
  shared AS (${shared(sql)}), credited AS (${credited(sql)}), unmatched AS (
    SELECT c.organisation_id, c.currency, sum(least(m.received, c.amount_cents)) AS cents
    FROM credited AS m JOIN charges AS c ON c.organisation_id = m.organisation_id AND c.id = m.charge_id
    WHERE ${ruleOf(sql, Charge.unendedRule, "c")} GROUP BY c.organisation_id, c.currency
  ), compared AS (
    SELECT * FROM (${compared(sql)}) AS c WHERE c.what IS NOT NULL
    UNION ALL ${unpaid(sql)} UNION ALL ${unbooked(sql)} UNION ALL ${misbooked(sql)}
  ), wrong AS (
    SELECT w.organisation_id, w.currency,
      jsonb_agg(jsonb_build_object('subject_id', w.subject_id, 'what', w.what) ORDER BY w.place) AS disagreements
    FROM (
      SELECT c.*, row_number() OVER (PARTITION BY c.organisation_id, c.currency ORDER BY c.subject_id) AS place
      FROM compared AS c
    ) AS w WHERE w.place <= ${shownMaximum}::int4 GROUP BY w.organisation_id, w.currency
  ), places AS (
    SELECT organisation_id, currency FROM balanced
    UNION SELECT c.organisation_id, c.currency FROM /* every organisation */ charges AS c
  )
  SELECT p.organisation_id, p.currency, coalesce(b.balances, '{}') AS balances,
    coalesce(h.cents, 0)::text AS held_by_records, coalesce(u.cents, 0)::text AS unmatched_by_records,
    coalesce(w.disagreements, '[]') AS disagreements
  FROM places AS p
  LEFT JOIN balanced AS b ON b.organisation_id = p.organisation_id AND b.currency = p.currency
  LEFT JOIN held AS h ON h.organisation_id = p.organisation_id AND h.currency = p.currency
  LEFT JOIN unmatched AS u ON u.organisation_id = p.organisation_id AND u.currency = p.currency
  LEFT JOIN wrong AS w ON w.organisation_id = p.organisation_id AND w.currency = p.currency
  ORDER BY p.organisation_id, p.currency`

const table = "ledger_entries"

/** Lists are in the order of `created_at`, which an entry calls its time. */
const rows = rowsOf(LedgerEntry, { at: { name: "created_at" }, amount_cents: integer })

const toRecord = ({ at, ...entry }: LedgerEntry) => ({ ...entry, created_at: at })

const Sum = Schema.BigIntFromString

const readBalances = Schema.decodeUnknownSync(
  Schema.Struct({
    organisation_id: OrganisationId,
    currency: Schema.String,
    balances: Schema.Record(BalancedAccount, Schema.optionalKey(Sum)),
    held_by_records: Sum,
    unmatched_by_records: Sum,
    disagreements: Schema.Array(Disagreement)
  })
)

const balancesOf = (row: unknown): OrganisationBalances => {
  const { balances, ...rest } = readBalances(row)
  return {
    ...rest,
    balances: {
      donor: balances.donor ?? 0n,
      bank: balances.bank ?? 0n,
      unmatched: balances.unmatched ?? 0n,
      held: balances.held ?? 0n,
      processor_fees: balances.processor_fees ?? 0n,
      platform_fees: balances.platform_fees ?? 0n,
      organisation: balances.organisation ?? 0n,
      disputed: balances.disputed ?? 0n,
      recipients: balances.recipients ?? 0n
    }
  }
}

export const layer = storeOf(LedgerStore, (sql) => {
  const { find, list } = makeRecords(sql, { rows, table, toRecord })
  return {
    find,
    list,
    append: (entries) =>
      entries.length === 0 ? Effect.void : Effect.orDie(runWrite(insertions(sql, table, entries.map(toRecord)))),
    balances: Effect.orDie(Effect.map(balances(sql), (found) => found.map(balancesOf)))
  }
})
