import { statements } from "./Statements.ts"

/** Disclosures with their duties. */
export const disclosures = statements(
  `
    CREATE TABLE disclosures (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      donor_id text COLLATE "C" NOT NULL,
      jurisdiction text COLLATE "C" NOT NULL,
      period text COLLATE "C" NOT NULL,
      starts_on text COLLATE "C" NOT NULL,
      ends_on text COLLATE "C" NOT NULL,
      status text NOT NULL,
      threshold_cents bigint NOT NULL,
      comparison text NOT NULL,
      total_cents bigint NOT NULL,
      in_kind_cents bigint NOT NULL,
      cap_cents bigint,
      cap_used_cents bigint,
      crossed_at timestamptz(3) NOT NULL,
      due_at timestamptz(3),
      donation_ids text[] NOT NULL,
      duties jsonb NOT NULL,
      lodged_gifts jsonb NOT NULL,
      regime jsonb NOT NULL,
      completed_at timestamptz(3),
      lodgement_reference text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      FOREIGN KEY (organisation_id, donor_id) REFERENCES donors (organisation_id, id)
    ) WITH (fillfactor = 80)`,
  `
    CREATE UNIQUE INDEX disclosures_span ON disclosures (organisation_id, donor_id, jurisdiction, starts_on)
    WHERE status IN ('PENDING', 'REVIEW', 'COMPLETED', 'CANCELLED')`,
  `CREATE INDEX disclosures_created ON disclosures (organisation_id, created_at, id)`,
  `CREATE INDEX disclosures_status ON disclosures (organisation_id, status, created_at, id)`,
  `CREATE INDEX disclosures_donor ON disclosures (organisation_id, donor_id, created_at, id)`,
  `CREATE INDEX disclosures_jurisdiction ON disclosures (organisation_id, jurisdiction, period, created_at, id)`,
  `CREATE INDEX disclosures_period ON disclosures (organisation_id, period, created_at, id)`,
  `CREATE INDEX disclosures_due ON disclosures (organisation_id, due_at, id) WHERE due_at IS NOT NULL`,
  // The newest of the indexes that begin alike: the planner takes it before the first ANALYZE.
  `ALTER TABLE disclosures ADD PRIMARY KEY (organisation_id, id)`
)
