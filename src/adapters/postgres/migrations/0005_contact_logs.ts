import { Effect } from "effect"
import { statements } from "./Statements.ts"

const logs = statements(
  `
    CREATE TABLE contact_logs (
      organisation_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      donor_id text COLLATE "C" NOT NULL,
      contact_method text NOT NULL,
      notes text,
      occurred_at timestamptz(3) NOT NULL,
      recorded_by_id text COLLATE "C",
      follow_up_at timestamptz(3),
      follow_up_completed_at timestamptz(3),
      follow_up_open boolean NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      deleted_at timestamptz(3),
      FOREIGN KEY (organisation_id, donor_id) REFERENCES donors (organisation_id, id)
    )`,
  // Entries are listed for one donor, who has few: its index answers every filter.
  `CREATE INDEX contact_logs_donor ON contact_logs (organisation_id, donor_id, created_at, id)`,
  `ALTER TABLE contact_logs ADD PRIMARY KEY (organisation_id, id)`
)

const refunds = statements(
  `
    CREATE TABLE refunds (
      organisation_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      donation_id text COLLATE "C" NOT NULL,
      amount_cents integer NOT NULL CHECK (amount_cents BETWEEN 1 AND 1000000000),
      reason text,
      status text NOT NULL,
      refunded_at timestamptz(3),
      processor_reference text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      FOREIGN KEY (organisation_id, donation_id) REFERENCES donations (organisation_id, id)
    )`,
  `CREATE INDEX refunds_donation ON refunds (organisation_id, donation_id)`,
  `ALTER TABLE refunds ADD PRIMARY KEY (organisation_id, id)`,
  // The rows that wait for a processor are taken over all organisations, oldest first.
  `CREATE INDEX refunds_pending ON refunds (created_at, id) WHERE status = 'PENDING'`
)

/** Staff's notes of contacts with donors, and the refund ledgers of gifts. */
export const contactLogs = Effect.andThen(logs, refunds)
