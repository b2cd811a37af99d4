import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { renewKey } from "./0020_newest_keys.ts"
import { statements } from "./Statements.ts"

/** Migrations 29 to 47 by their names, but those with files of their own. */
export const migrations0029 = {
  /** The credentials of integrations that are accounts of their own. Every one until now is a connected account. */
  "0029_own_credentials": statements(
    `
    ALTER TABLE integrations
      ADD COLUMN is_own boolean NOT NULL DEFAULT false,
      ADD COLUMN sealed_credentials text,
      ADD COLUMN previous_sealed_notice_secrets text,
      ADD COLUMN previous_notice_secrets_expire_at timestamptz(3),
      ADD COLUMN credentials_rotated_at timestamptz(3)`
  ),
  /**
   * Reversed transfers, and refunds of parts of payments: those name the recipient's gift, which is another
   * organisation's, so that only a gift's own refunds refer to a gift of theirs.
   */
  "0032_reversals": Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`ALTER TABLE transfer_attempts ADD COLUMN reversed_id text COLLATE "C"`
    yield* sql`ALTER TABLE transfer_attempts ADD COLUMN cause text`
    yield* sql`ALTER TABLE transfer_attempts DROP CONSTRAINT transfer_attempts_number`
    yield* sql`
    CREATE UNIQUE INDEX transfer_attempts_number
    ON transfer_attempts (organisation_id, allocation_id, (reversed_id IS NULL), series, number)`
    yield* renewKey("transfer_attempts")
    yield* sql`
    ALTER TABLE transfer_attempts ADD FOREIGN KEY (organisation_id, reversed_id)
    REFERENCES transfer_attempts (organisation_id, id)`
    yield* sql`ALTER TABLE refunds DROP CONSTRAINT refunds_organisation_id_donation_id_fkey`
    yield* sql`ALTER TABLE refunds ADD COLUMN allocation_id text COLLATE "C"`
    yield* sql`
    ALTER TABLE refunds ADD COLUMN own_donation_id text COLLATE "C"
    GENERATED ALWAYS AS (CASE WHEN allocation_id IS NULL THEN donation_id END) STORED`
    yield* sql`
    ALTER TABLE refunds ADD FOREIGN KEY (organisation_id, own_donation_id) REFERENCES donations (organisation_id, id)`
    yield* sql`
    ALTER TABLE refunds ADD FOREIGN KEY (organisation_id, allocation_id)
    REFERENCES payment_allocations (organisation_id, id)`
  }),
  /** How far the clocks of sandboxes are ahead of the real time, and who moves one now. */
  "0033_sandbox_clocks": statements(
    `
    CREATE TABLE sandbox_clocks (
      organisation_id text COLLATE "C" PRIMARY KEY REFERENCES organisations (id),
      ahead_millis bigint NOT NULL DEFAULT 0,
      holder text COLLATE "C",
      held_until timestamptz
    )`
  ),
  /** A processor names what it keeps for a mandate, and not whose it is. */
  "0034_mandate_references": statements(
    `CREATE INDEX mandates_at_processor ON mandates (reference) WHERE reference IS NOT NULL`
  ),
  /** Introductions count toward their inviter's limit by the real time at which they were sent. */
  "0035_introductions_sent": statements(
    `ALTER TABLE introductions ADD COLUMN sent_at timestamptz(3)`,
    `UPDATE introductions SET sent_at = least(created_at, now())`,
    `ALTER TABLE introductions ALTER COLUMN sent_at SET NOT NULL`,
    `CREATE INDEX introductions_sent ON introductions (organisation_id, sent_at) WHERE viewed_at IS NULL`
  ),
  /** Lines of bank statements are known by the bank's ids and balances, and by the file that they came with. */
  "0037_statement_lines": statements(
    `
    ALTER TABLE credits
      ADD COLUMN bank_id text COLLATE "C",
      ADD COLUMN balance_cents bigint,
      ADD COLUMN import_id text COLLATE "C",
      ADD COLUMN voided_at timestamptz(3)`,
    `CREATE INDEX credits_day ON credits (day, organisation_id)`,
    `CREATE INDEX credits_bank_id ON credits (organisation_id, bank_id) WHERE bank_id IS NOT NULL`,
    `
    CREATE INDEX credits_import ON credits (organisation_id, import_id, created_at, id) WHERE import_id IS NOT NULL`,
    `ALTER TABLE integrations ADD COLUMN statement_mapping jsonb, ADD COLUMN statement_until date`
  ),
  /** Parts of payments, each of which is for another gift. */
  "0038_credit_parts": statements(`ALTER TABLE credits ADD COLUMN part_of text COLLATE "C"`),
  /** The money on a bank account that a gift was booked from. */
  "0039_gifts_of_credits": statements(
    `ALTER TABLE donations ADD COLUMN credit_id text COLLATE "C"`,
    `
    ALTER TABLE donations ADD FOREIGN KEY (organisation_id, credit_id) REFERENCES credits (organisation_id, id)`
  ),
  /** Which reading of a processor's statement found a line last: one that a later reading of its day does not find is gone. */
  "0040_statement_readings": statements(`ALTER TABLE processor_movements ADD COLUMN reading text`),
  /** The days that bank statements cover, of those, too, whose lines are recorded already. */
  "0041_imported_statements": statements(
    `
    CREATE TABLE imported_statements (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      integration_id text COLLATE "C" NOT NULL,
      import_id text COLLATE "C" NOT NULL,
      account text COLLATE "C" NOT NULL,
      first_day date NOT NULL,
      last_day date NOT NULL,
      PRIMARY KEY (organisation_id, import_id),
      FOREIGN KEY (organisation_id, integration_id) REFERENCES integrations (organisation_id, id)
    )`,
    `CREATE INDEX imported_statements_last ON imported_statements (organisation_id, last_day)`,
    `
    INSERT INTO imported_statements (organisation_id, integration_id, import_id, account, first_day, last_day)
    SELECT c.organisation_id, min(c.integration_id), c.import_id, min(c.account), min(c.day),
      least(max(c.day), min(i.statement_until))
    FROM credits AS c
    JOIN integrations AS i ON i.organisation_id = c.organisation_id AND i.id = c.integration_id
    WHERE c.import_id IS NOT NULL AND c.voided_at IS NULL AND i.statement_until IS NOT NULL
    GROUP BY c.organisation_id, c.import_id`
  ),
  /** Statements tell of transfers from now on: those that were read before did not, and are read again. */
  "0042_transfers_on_statements": statements(`UPDATE reconciliations SET compared_until = NULL`),
  /** Bank transfers are found by their amounts. */
  "0043_transfer_amounts": statements(
    `
    CREATE INDEX charges_transfer_amount ON charges (organisation_id, amount_cents, created_at, id)
    WHERE method = 'bank_transfer'`
  ),
  /** The gift that held money was booked as. Known of older ones by their amount, their time and their payment. */
  "0044_gifts_of_exceptions": statements(
    `ALTER TABLE payment_exceptions ADD COLUMN donation_id text COLLATE "C"`,
    `
    UPDATE payment_exceptions AS x SET donation_id = d.id
    FROM donations AS d
    JOIN credits AS c ON c.organisation_id = d.organisation_id AND c.id = d.credit_id
    WHERE d.organisation_id = x.organisation_id AND d.created_at = x.resolved_at AND d.currency = x.currency
      AND d.amount_cents = x.held_cents AND (x.subject_id = c.id OR x.charge_id = c.charge_id)`
  ),
  /** Revenue codes are assigned to jurisdictions; codes of federal campaign accounts are to the federal one. */
  "0045_code_jurisdictions": statements(
    `ALTER TABLE revenue_codes ADD COLUMN jurisdiction text COLLATE "C"`,
    `UPDATE revenue_codes SET jurisdiction = 'AU' WHERE is_fca`,
    `
    CREATE INDEX revenue_codes_jurisdiction ON revenue_codes (organisation_id, jurisdiction)
    WHERE jurisdiction IS NOT NULL`
  ),
  /** Disclosures with their duties. */
  "0046_disclosures": statements(
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
  ),
  /** The names of those whose transfers to sets are awaited. */
  "0047_payer_names": statements(
    `ALTER TABLE payments ADD COLUMN payer_names text[]`,
    `CREATE INDEX payments_payer_names ON payments USING gin (payer_names)`
  )
}
