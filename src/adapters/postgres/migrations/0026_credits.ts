import { statements } from "./Statements.ts"

/** Lines of bank statements. A line is there once for its account, and once for its integration. */
export const credits = statements(
  `
    CREATE TABLE credits (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      integration_id text COLLATE "C" NOT NULL,
      account text COLLATE "C" NOT NULL,
      day date NOT NULL,
      amount_cents bigint NOT NULL CHECK (amount_cents >= 1),
      currency text NOT NULL,
      text text NOT NULL,
      reference text COLLATE "C",
      digest text COLLATE "C" NOT NULL,
      number integer NOT NULL CHECK (number >= 1),
      charge_id text COLLATE "C",
      created_at timestamptz(3) NOT NULL,
      CONSTRAINT credits_account_line UNIQUE (organisation_id, account, digest, number),
      CONSTRAINT credits_integration_line UNIQUE (organisation_id, integration_id, digest, number),
      FOREIGN KEY (organisation_id, integration_id) REFERENCES integrations (organisation_id, id),
      FOREIGN KEY (organisation_id, charge_id) REFERENCES charges (organisation_id, id)
    )`,
  `CREATE INDEX credits_created ON credits (organisation_id, created_at, id)`,
  `CREATE INDEX credits_integration ON credits (organisation_id, integration_id, created_at, id)`,
  `
    CREATE INDEX credits_charge ON credits (organisation_id, charge_id, created_at, id) WHERE charge_id IS NOT NULL`,
  `
    CREATE INDEX credits_reference ON credits (organisation_id, reference, created_at, id) WHERE reference IS NOT NULL`,
  `ALTER TABLE credits ADD PRIMARY KEY (organisation_id, id)`
)
