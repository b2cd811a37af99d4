import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { statements } from "./Statements.ts"

/** How far payments and their parts are; what the simulated bank transferred, and how its accounts take transfers. */
const columns = statements(
  `ALTER TABLE payments ADD COLUMN transfers_begun_at timestamptz(3)`,
  `ALTER TABLE payment_allocations ADD COLUMN series integer NOT NULL DEFAULT 1`,
  `ALTER TABLE test_charges ADD COLUMN transfers jsonb NOT NULL DEFAULT '[]'`,
  `ALTER TABLE test_accounts ADD COLUMN transfers text NOT NULL DEFAULT 'ACCEPTED'`
)

/** The attempts to bring the parts of payments to their recipients. */
export const transferAttempts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* columns
  yield* sql`
    CREATE TABLE transfer_attempts (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      payment_id text COLLATE "C" NOT NULL,
      allocation_id text COLLATE "C" NOT NULL,
      charge_id text COLLATE "C" NOT NULL,
      recipient_org_account_link_id text COLLATE "C" NOT NULL,
      amount_cents bigint NOT NULL CHECK (amount_cents >= 1),
      currency text NOT NULL,
      series integer NOT NULL,
      number integer NOT NULL,
      status text NOT NULL,
      sent_at timestamptz(3),
      reference text COLLATE "C",
      failure_code text,
      look_at timestamptz(3),
      looks integer NOT NULL CHECK (looks >= 0),
      ended_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      CONSTRAINT transfer_attempts_number UNIQUE (organisation_id, allocation_id, series, number),
      FOREIGN KEY (organisation_id, payment_id) REFERENCES payments (organisation_id, id),
      FOREIGN KEY (organisation_id, allocation_id) REFERENCES payment_allocations (organisation_id, id),
      FOREIGN KEY (organisation_id, charge_id) REFERENCES charges (organisation_id, id)
    ) WITH (fillfactor = 80)`
  yield* sql`CREATE INDEX transfer_attempts_created ON transfer_attempts (organisation_id, created_at, id)`
  yield* sql`CREATE INDEX transfer_attempts_status ON transfer_attempts (organisation_id, status, created_at, id)`
  yield* sql`CREATE INDEX transfer_attempts_payment ON transfer_attempts (organisation_id, payment_id, created_at, id)`
  yield* sql`
    CREATE INDEX transfer_attempts_allocation ON transfer_attempts (organisation_id, allocation_id, created_at, id)`
  yield* sql`
    CREATE INDEX transfer_attempts_due ON transfer_attempts (organisation_id, look_at, id) WHERE look_at IS NOT NULL`
  yield* sql`ALTER TABLE transfer_attempts ADD PRIMARY KEY (organisation_id, id)`
})
