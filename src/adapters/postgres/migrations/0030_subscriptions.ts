import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { renewKey } from "./0020_newest_keys.ts"
import { statements } from "./Statements.ts"

const subscriptionsTable = statements(
  `
    CREATE TABLE subscriptions (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      donor_id text COLLATE "C" NOT NULL,
      status text NOT NULL,
      amount_cents integer NOT NULL CHECK (amount_cents BETWEEN 1 AND 1000000000),
      currency text NOT NULL,
      frequency text NOT NULL,
      donation_form_id text COLLATE "C",
      campaign_id text COLLATE "C",
      integration_id text COLLATE "C" NOT NULL,
      mandate_id text COLLATE "C" NOT NULL,
      method text NOT NULL,
      revenue_code text,
      revenue_code_id text COLLATE "C",
      consent_given boolean,
      consent_responses jsonb NOT NULL,
      anchor_day text NOT NULL,
      next_charge_on text,
      last_paid_invoice_id text COLLATE "C",
      last_charged_on text,
      look_at timestamptz(3),
      cancel_reason text,
      donor_cancel_reason_code text,
      donor_cancel_reason text,
      cancelled_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      FOREIGN KEY (organisation_id, donor_id) REFERENCES donors (organisation_id, id),
      FOREIGN KEY (organisation_id, integration_id) REFERENCES integrations (organisation_id, id)
    ) WITH (fillfactor = 80)`,
  `CREATE INDEX subscriptions_created ON subscriptions (organisation_id, created_at, id)`,
  `CREATE INDEX subscriptions_status ON subscriptions (organisation_id, status, created_at, id)`,
  `CREATE INDEX subscriptions_donor ON subscriptions (organisation_id, donor_id, created_at, id)`,
  `
    CREATE INDEX subscriptions_form ON subscriptions (organisation_id, donation_form_id, created_at, id)
    WHERE donation_form_id IS NOT NULL`,
  `CREATE INDEX subscriptions_frequency ON subscriptions (organisation_id, frequency, created_at, id)`,
  `
    CREATE INDEX subscriptions_due ON subscriptions (organisation_id, look_at, id) WHERE look_at IS NOT NULL`,
  // The newest of the indexes that begin alike: the planner takes it before the first ANALYZE.
  `ALTER TABLE subscriptions ADD PRIMARY KEY (organisation_id, id)`
)

const mandatesTable = statements(
  `
    CREATE TABLE mandates (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      subscription_id text COLLATE "C" NOT NULL,
      integration_id text COLLATE "C" NOT NULL,
      method text NOT NULL,
      status text NOT NULL,
      reference text COLLATE "C",
      revoked_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      FOREIGN KEY (organisation_id, subscription_id) REFERENCES subscriptions (organisation_id, id)
    )`,
  `CREATE INDEX mandates_created ON mandates (organisation_id, created_at, id)`,
  `CREATE INDEX mandates_status ON mandates (organisation_id, status, created_at, id)`,
  `ALTER TABLE mandates ADD PRIMARY KEY (organisation_id, id)`
)

const invoicesTable = statements(
  `
    CREATE TABLE invoices (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      subscription_id text COLLATE "C" NOT NULL,
      due_on text COLLATE "C" NOT NULL,
      amount_cents integer NOT NULL CHECK (amount_cents BETWEEN 1 AND 1000000000),
      currency text NOT NULL,
      status text NOT NULL,
      charge_id text COLLATE "C",
      failures integer NOT NULL CHECK (failures >= 0),
      failed_at timestamptz(3),
      next_attempt_at timestamptz(3),
      failed_donation_id text COLLATE "C",
      donation_id text COLLATE "C",
      ended_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      CONSTRAINT invoices_due UNIQUE (organisation_id, subscription_id, due_on),
      FOREIGN KEY (organisation_id, subscription_id) REFERENCES subscriptions (organisation_id, id)
    )`,
  `CREATE INDEX invoices_created ON invoices (organisation_id, created_at, id)`,
  `CREATE INDEX invoices_status ON invoices (organisation_id, status, created_at, id)`,
  `CREATE INDEX invoices_subscription ON invoices (organisation_id, subscription_id, created_at, id)`,
  `ALTER TABLE invoices ADD PRIMARY KEY (organisation_id, id)`
)

/** The mandate of a charge, and those of the simulated bank. */
const columns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE charges ADD COLUMN mandate_id text COLLATE "C"`
  yield* sql`
    CREATE INDEX charges_mandate ON charges (organisation_id, mandate_id, created_at, id) WHERE mandate_id IS NOT NULL`
  yield* sql`ALTER TABLE test_charges ADD COLUMN mandate text`
  yield* renewKey("charges")
})

/** Recurring gifts, with their mandates and invoices. */
export const subscriptions = subscriptionsTable.pipe(
  Effect.andThen(mandatesTable),
  Effect.andThen(invoicesTable),
  Effect.andThen(columns)
)
