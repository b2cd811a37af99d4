import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Refund from "../../../domain/giving/Refund.ts"
import { type LedgerEntryId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import * as Charge from "../../../domain/payments/Charge.ts"
import { Account, LedgerEntry } from "../../../domain/payments/Ledger.ts"
import * as PaymentException from "../../../domain/payments/PaymentException.ts"
import { LedgerStore, type OrganisationBalances } from "../../../ports/payments/LedgerStore.ts"
import { makeRecords } from "../records/Records.ts"
import { rowsOf, toRow } from "../records/Rows.ts"
import { ruleOf } from "../records/Rules.ts"
import { cents } from "./Cents.ts"

const table = "ledger_entries"

/** Lists are in the order of `created_at`, which an entry calls its time. */
const rows = rowsOf(LedgerEntry, { at: { name: "created_at" }, amount_cents: cents })

const toRecord = ({ at, ...entry }: LedgerEntry) => ({ ...entry, created_at: at })

const names = Object.keys(LedgerEntry.fields).map((name) => (name === "at" ? "created_at" : name))

const append = (sql: SqlClient.SqlClient, entries: ReadonlyArray<LedgerEntry>) => sql`
  INSERT INTO ledger_entries (${sql.literal(names.join(", "))})
  SELECT ${sql.literal(names.map((name) => `n.${name}`).join(", "))}
  FROM jsonb_populate_recordset(NULL::ledger_entries,
    ${JSON.stringify(entries.map((entry) => toRow(toRecord(entry))))}::jsonb) AS n`

/** The sums as text: they may be larger than any type of the driver's. */
const balances = (sql: SqlClient.SqlClient) => sql`
  WITH moved AS (
    SELECT e.organisation_id, e.currency, m.account, sum(m.cents) AS cents
    FROM /* every organisation */ ledger_entries AS e
    CROSS JOIN LATERAL (VALUES (e.from_account, -e.amount_cents), (e.to_account, e.amount_cents)) AS m (account, cents)
    GROUP BY e.organisation_id, e.currency, m.account
  ), balanced AS (
    SELECT organisation_id, currency, jsonb_object_agg(account, cents::text) AS balances
    FROM moved GROUP BY organisation_id, currency
  ), said AS (
    SELECT r.organisation_id, c.currency, r.amount_cents::int8 AS cents
    FROM /* every organisation */ refunds AS r
    JOIN charges AS c ON c.organisation_id = r.organisation_id AND c.id = r.charge_id
    WHERE ${ruleOf(sql, Refund.held, "r")}
    UNION ALL
    SELECT x.organisation_id, x.currency, x.held_cents
    FROM /* every organisation */ payment_exceptions AS x
    WHERE ${ruleOf(sql, PaymentException.unresolved, "x")}
    UNION ALL
    SELECT c.organisation_id, c.currency, CASE WHEN c.processor_fee_cents IS NULL THEN c.amount_cents ELSE (
      SELECT coalesce(sum(a.net_amount_cents), 0) FROM payment_allocations AS a
      WHERE a.organisation_id = c.organisation_id AND a.payment_id = c.subject_id
        AND ${ruleOf(sql, Charge.undistributed, "a")}
    ) END
    FROM /* every organisation */ charges AS c
    WHERE ${ruleOf(sql, Charge.shared, "c")}
  ), held AS (
    SELECT organisation_id, currency, sum(cents) AS cents FROM said GROUP BY organisation_id, currency
  )
  SELECT b.organisation_id, b.currency, b.balances, coalesce(h.cents, 0)::text AS held_by_records
  FROM balanced AS b LEFT JOIN held AS h ON h.organisation_id = b.organisation_id AND h.currency = b.currency
  ORDER BY b.organisation_id, b.currency`

const Sum = Schema.BigIntFromString

const readBalances = Schema.decodeUnknownSync(
  Schema.Struct({
    organisation_id: OrganisationId,
    currency: Schema.String,
    balances: Schema.Record(Account, Schema.optionalKey(Sum)),
    held_by_records: Sum
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
      disputed: balances.disputed ?? 0n
    }
  }
}

export const layer: Layer.Layer<LedgerStore, never, SqlClient.SqlClient> = Layer.effect(
  LedgerStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const { find, list } = makeRecords<LedgerEntry, LedgerEntryId>(sql, { rows, table, toRecord })
    return LedgerStore.of({
      find,
      list,
      append: (entries) => (entries.length === 0 ? Effect.void : Effect.asVoid(Effect.orDie(append(sql, entries)))),
      balances: Effect.orDie(Effect.map(balances(sql), (found) => found.map(balancesOf)))
    })
  })
)
