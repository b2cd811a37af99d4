import { Effect } from "effect"
import { renewKey } from "./0020_newest_keys.ts"
import { statements } from "./Statements.ts"

/** The costs of disputes, and the simulated bank's movements on its accounts. */
const columns = statements(
  `ALTER TABLE disputes ADD COLUMN fee_cents bigint CHECK (fee_cents >= 0)`,
  `ALTER TABLE test_charges ADD COLUMN movements jsonb NOT NULL DEFAULT '[]'`,
  `CREATE INDEX test_charges_account ON test_charges (organisation_id, integration_id, id)`,
  `
    CREATE INDEX payment_exceptions_subject ON payment_exceptions (organisation_id, subject_id, created_at, id)`
)

/** How far each account was reconciled, and who does it now. */
const reconciliations = statements(
  `
    CREATE TABLE reconciliations (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      integration_id text COLLATE "C" NOT NULL,
      listed_until timestamptz(3),
      silent_at timestamptz(3),
      notices_cursor text,
      compared_until text,
      reconciled_at timestamptz(3),
      holder text COLLATE "C",
      held_until timestamptz(3),
      PRIMARY KEY (organisation_id, integration_id),
      FOREIGN KEY (organisation_id, integration_id) REFERENCES integrations (organisation_id, id)
    )`
)

/** The lines of processors' statements, against which the books are held. */
const movements = statements(
  `
    CREATE TABLE processor_movements (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      integration_id text COLLATE "C" NOT NULL,
      reference text COLLATE "C" NOT NULL,
      kind text NOT NULL,
      charge_reference text COLLATE "C",
      amount_cents bigint NOT NULL,
      fee_cents bigint NOT NULL,
      currency text NOT NULL,
      at timestamptz(3) NOT NULL,
      FOREIGN KEY (organisation_id, integration_id) REFERENCES integrations (organisation_id, id)
    )`,
  `
    CREATE INDEX processor_movements_at ON processor_movements (organisation_id, integration_id, at, reference)`,
  `
    CREATE INDEX processor_movements_charge ON processor_movements (organisation_id, integration_id, charge_reference)`,
  `ALTER TABLE processor_movements ADD PRIMARY KEY (organisation_id, integration_id, reference)`
)

/** Reconciliation of charges and books with their processors. */
export const reconciliation = columns.pipe(
  Effect.andThen(reconciliations),
  Effect.andThen(movements),
  // Their own keys are the newest indexes again, which the planner takes before the first ANALYZE.
  Effect.andThen(
    Effect.forEach(["charges", "integrations", "payment_exceptions", "test_charges"], renewKey, { discard: true })
  )
)
