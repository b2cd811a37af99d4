import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { type LedgerEntryId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import { Disagreement } from "../../../domain/payments/Disagreement.ts"
import { BalancedAccount, LedgerEntry } from "../../../domain/payments/Ledger.ts"
import { LedgerStore, type OrganisationBalances } from "../../../ports/payments/LedgerStore.ts"
import { makeRecords, storeOf } from "../records/Records.ts"
import { integer, rowsOf, toRow } from "../records/Rows.ts"
import { balances } from "./LedgerBalances.ts"

const table = "ledger_entries"

/** Lists are in the order of `created_at`, which an entry calls its time. */
const rows = rowsOf(LedgerEntry, { at: { name: "created_at" }, amount_cents: integer })

const toRecord = ({ at, ...entry }: LedgerEntry) => ({ ...entry, created_at: at })

const names = Object.keys(LedgerEntry.fields).map((name) => (name === "at" ? "created_at" : name))

const append = (sql: SqlClient.SqlClient, entries: ReadonlyArray<LedgerEntry>) => sql`
  INSERT INTO ledger_entries (${sql.literal(names.join(", "))})
  SELECT ${sql.literal(names.map((name) => `n.${name}`).join(", "))}
  FROM jsonb_populate_recordset(NULL::ledger_entries,
    ${JSON.stringify(entries.map((entry) => toRow(toRecord(entry))))}::jsonb) AS n`

const Sum = Schema.BigIntFromString

const readBalances = Schema.decodeUnknownSync(
  Schema.Struct({
    organisation_id: OrganisationId,
    currency: Schema.String,
    balances: Schema.Record(BalancedAccount, Schema.optionalKey(Sum)),
    held_by_records: Sum,
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
  const { find, list } = makeRecords<LedgerEntry, LedgerEntryId>(sql, { rows, table, toRecord })
  return {
    find,
    list,
    append: (entries) => (entries.length === 0 ? Effect.void : Effect.asVoid(Effect.orDie(append(sql, entries)))),
    balances: Effect.orDie(Effect.map(balances(sql), (found) => found.map(balancesOf)))
  }
})
