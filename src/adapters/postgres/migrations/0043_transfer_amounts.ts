import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Bank transfers are found by their amounts. */
export const transferAmounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE INDEX charges_transfer_amount ON charges (organisation_id, amount_cents, created_at, id)
    WHERE method = 'bank_transfer'`
})
