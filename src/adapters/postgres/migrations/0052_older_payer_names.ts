import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type PayerName, payerNamesOf } from "../../../domain/payments/GiftCandidate.ts"

/** Payments that are read at once. */
const atOnce = 5_000

/** The names of those whose transfers to sets were awaited before names were kept, as far as what they submitted is. */
export const olderPayerNames = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (let after = ""; ; ) {
    const found = yield* sql<PayerName & { readonly id: string }>`
      SELECT id, submitted_donor ->> 'first_name' AS first_name, submitted_donor ->> 'last_name' AS last_name,
        submitted_donor ->> 'organisation_name' AS organisation_name
      FROM payments
      WHERE payer_names IS NULL AND payment_method_type = 'bank_transfer' AND succeeded_at IS NULL
        AND link_donor_id IS NULL AND submitted_donor IS NOT NULL AND id > ${after}
      ORDER BY id LIMIT ${atOnce}`
    const last = found.at(-1)
    if (last === undefined) return
    const named = found.map(({ id, ...payer }) => ({ id, payer_names: payerNamesOf(payer) }))
    yield* sql`
      UPDATE payments AS t SET payer_names = s.payer_names
      FROM jsonb_populate_recordset(NULL::payments, ${JSON.stringify(named)}::jsonb) AS s WHERE t.id = s.id`
    after = last.id
  }
})
