import { Effect } from "effect"
import { statements } from "./Statements.ts"

/** The notices of processors. Those that belong to no organisation have the empty text. */
const received = statements(
  `
    CREATE TABLE notices (
      organisation_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      integration_id text COLLATE "C",
      processor text COLLATE "C" NOT NULL,
      event_id text COLLATE "C" NOT NULL,
      type text NOT NULL,
      object text NOT NULL,
      reference text COLLATE "C",
      charge_id text COLLATE "C",
      account text COLLATE "C",
      status text NOT NULL,
      error text,
      attempts integer NOT NULL CHECK (attempts >= 0),
      apply_at timestamptz(3),
      sent_at timestamptz(3) NOT NULL,
      ended_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL
    ) WITH (fillfactor = 80)`,
  `CREATE UNIQUE INDEX notices_event ON notices (integration_id, event_id) WHERE integration_id IS NOT NULL`,
  `CREATE UNIQUE INDEX notices_platform ON notices (processor, event_id) WHERE integration_id IS NULL`,
  `CREATE INDEX notices_id ON notices (id)`,
  `CREATE INDEX notices_ended ON notices (created_at) WHERE apply_at IS NULL`,
  `CREATE INDEX notices_created ON notices (organisation_id, created_at, id)`,
  `CREATE INDEX notices_status ON notices (organisation_id, status, created_at, id)`,
  `CREATE INDEX notices_charge ON notices (organisation_id, charge_id, created_at, id)`,
  `CREATE INDEX notices_due ON notices (organisation_id, apply_at, id) WHERE apply_at IS NOT NULL`,
  // The newest of the indexes that begin alike: the planner takes it before the first ANALYZE.
  `ALTER TABLE notices ADD PRIMARY KEY (organisation_id, id)`
)

/** The look-up keys of notices whose organisation is not known yet. */
const objects = statements(
  `CREATE INDEX charges_id ON charges (id)`,
  `CREATE INDEX charges_at_processor ON charges (reference) WHERE reference IS NOT NULL`,
  `CREATE INDEX integrations_id ON integrations (id)`,
  `CREATE INDEX integrations_account ON integrations (processor_connect_account_id)`
)

/** The notices of the simulated bank, and when it next acts by itself. */
const testNotices = statements(
  `ALTER TABLE test_accounts ADD COLUMN notices text NOT NULL DEFAULT 'ON_TIME'`,
  `ALTER TABLE test_charges ADD COLUMN next_act_at timestamptz(3)`,
  `
    UPDATE test_charges SET next_act_at = (
      SELECT min((act.value ->> 'at')::timestamptz) FROM jsonb_array_elements(scheduled) AS act)`,
  `
    CREATE INDEX test_charges_due ON test_charges (organisation_id, next_act_at, id) WHERE next_act_at IS NOT NULL`,
  `
    CREATE TABLE test_notices (
      organisation_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      integration_id text COLLATE "C" NOT NULL,
      type text NOT NULL,
      object text NOT NULL,
      reference text COLLATE "C" NOT NULL,
      charge_id text COLLATE "C",
      send_at timestamptz(3),
      sends integer NOT NULL CHECK (sends >= 0),
      created_at timestamptz(3) NOT NULL
    )`,
  `CREATE INDEX test_notices_account ON test_notices (organisation_id, integration_id, created_at, id)`,
  `CREATE INDEX test_notices_ended ON test_notices (created_at) WHERE send_at IS NULL`,
  `CREATE INDEX test_notices_due ON test_notices (organisation_id, send_at, id) WHERE send_at IS NOT NULL`,
  `ALTER TABLE test_notices ADD PRIMARY KEY (organisation_id, id)`
)

/** Notices of processors. */
export const notices = received.pipe(Effect.andThen(objects), Effect.andThen(testNotices))
