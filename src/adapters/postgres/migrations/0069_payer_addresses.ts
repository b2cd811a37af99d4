import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { emailKey } from "../../../domain/kernel/Text.ts"
import { statements } from "./Statements.ts"

/** Payments to sets under way are found by the addresses of those who pay. */
export const payerAddresses = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* statements("ALTER TABLE payments ADD COLUMN payer_email_key text")
  const found = yield* sql<{ readonly id: string; readonly email: string }>`
    SELECT id, submitted_donor ->> 'email' AS email FROM payments
    WHERE payment_status IN ('PENDING', 'AWAITING_FUNDS') AND link_donor_id IS NULL
      AND submitted_donor ->> 'email' IS NOT NULL`
  const keyed = found.map(({ email, id }) => ({ id, payer_email_key: emailKey(email) }))
  yield* sql`
    UPDATE payments AS t SET payer_email_key = s.payer_email_key
    FROM jsonb_populate_recordset(NULL::payments, ${JSON.stringify(keyed)}::jsonb) AS s WHERE t.id = s.id`
  yield* statements(
    "CREATE INDEX payments_payer ON payments (payer_email_key) WHERE payer_email_key IS NOT NULL",
    "DROP INDEX payments_in_flight"
  )
})
