import { statements } from "./Statements.ts"

/** The simulated bank of the test processor. It knows the charges and integrations of its callers as texts only. */
export const testBank = statements(
  `
    CREATE TABLE test_charges (
      organisation_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      integration_id text COLLATE "C" NOT NULL,
      charge_id text COLLATE "C" NOT NULL,
      idempotency_key text COLLATE "C",
      method text NOT NULL,
      amount_cents int8 NOT NULL CHECK (amount_cents >= 0),
      currency text NOT NULL,
      status text NOT NULL,
      failure_code text,
      fee_cents int8 CHECK (fee_cents >= 0),
      payment_token text,
      refunds jsonb NOT NULL,
      disputes jsonb NOT NULL,
      scheduled jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      CONSTRAINT test_charges_key UNIQUE (organisation_id, idempotency_key)
    )`,
  `CREATE INDEX test_charges_charge ON test_charges (organisation_id, charge_id, created_at, id)`,
  `CREATE INDEX test_charges_created ON test_charges (organisation_id, created_at, id)`,
  `ALTER TABLE test_charges ADD PRIMARY KEY (organisation_id, id)`,
  `
    CREATE TABLE test_accounts (
      organisation_id text COLLATE "C" NOT NULL,
      integration_id text COLLATE "C" NOT NULL,
      charges_enabled boolean NOT NULL,
      reach text NOT NULL,
      PRIMARY KEY (organisation_id, integration_id)
    )`
)
