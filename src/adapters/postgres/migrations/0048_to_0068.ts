import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { renewKey } from "./0020_newest_keys.ts"
import { statements } from "./Statements.ts"

/** Migrations 48 to 67 by their names, but those with files of their own. */
export const migrations0048 = {
  /** The day on which an organisation's admins were last reminded of duties. */
  "0048_duty_reminders": statements(
    `
    CREATE TABLE duty_reminders (
      organisation_id text COLLATE "C" PRIMARY KEY REFERENCES organisations (id),
      day text COLLATE "C" NOT NULL
    )`,
    `CREATE INDEX disclosures_due_anywhere ON disclosures (due_at, organisation_id) WHERE due_at IS NOT NULL`
  ),
  /** How far the recounts of organisations' disclosures are. */
  "0049_disclosure_recounts": statements(
    `
    CREATE TABLE disclosure_recounts (
      organisation_id text COLLATE "C" PRIMARY KEY REFERENCES organisations (id),
      due_at timestamptz(3) NOT NULL,
      after_donor_id text COLLATE "C" NOT NULL,
      is_asked boolean NOT NULL
    )`,
    `CREATE INDEX disclosure_recounts_due ON disclosure_recounts (due_at)`,
    `
    INSERT INTO disclosure_recounts (organisation_id, due_at, after_donor_id, is_asked)
    SELECT DISTINCT c.organisation_id, now(), '', true FROM revenue_codes AS c WHERE c.jurisdiction IS NOT NULL`
  ),
  /**
   * Gifts of recommendation sets tell by which link they came, and recipients say by which code they count, for each link
   * and else for all.
   */
  "0050_default_codes": statements(
    `ALTER TABLE donations ADD COLUMN recipient_account_link_id text COLLATE "C"`,
    `
    UPDATE /* every organisation */ donations AS d SET recipient_account_link_id = a.recipient_org_account_link_id
    FROM /* every organisation */ payment_allocations AS a
    WHERE d.allocation_id = a.id AND d.organisation_id = a.recipient_organisation_id`,
    `
    CREATE TABLE default_codes (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      recipient_account_link_id text COLLATE "C",
      revenue_code_id text COLLATE "C" NOT NULL,
      created_at timestamptz(3) NOT NULL,
      FOREIGN KEY (organisation_id, revenue_code_id) REFERENCES revenue_codes (organisation_id, id)
    )`,
    `
    CREATE UNIQUE INDEX default_codes_link ON default_codes (organisation_id, coalesce(recipient_account_link_id, ''))`
  ),
  /**
   * A row for each donor, jurisdiction and period that was assessed: whoever assesses one changes it. A donor's gifts of a period
   * are found by an index of those that may have a code.
   */
  "0051_disclosure_spans": statements(
    `
    CREATE TABLE disclosure_spans (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      changes bigint NOT NULL,
      PRIMARY KEY (organisation_id, id)
    ) WITH (fillfactor = 80)`,
    `
    CREATE INDEX donations_assessed ON donations (organisation_id, donor_id, donation_day)
    WHERE revenue_code_id IS NOT NULL OR source = 'RECOMMENDATION_SET' AND revenue_code_id IS NULL`
  ),
  /** Elections that operators add to the installation. */
  "0053_elections": Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
    CREATE TABLE elections (
      jurisdiction text COLLATE "C" NOT NULL,
      name text NOT NULL,
      writ_on date NOT NULL,
      polling_on date NOT NULL,
      PRIMARY KEY (jurisdiction, writ_on)
    )`
  }),
  /** Organisations whose checkouts refuse gifts over a cap, and donors whose kind has a cap of its own. */
  "0054_caps": Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
    CREATE TABLE cap_blocks (organisation_id text COLLATE "C" PRIMARY KEY REFERENCES organisations (id))`
    yield* sql`
    CREATE TABLE donor_kinds (
      organisation_id text COLLATE "C" NOT NULL,
      donor_id text COLLATE "C" NOT NULL,
      donor_kind text NOT NULL,
      PRIMARY KEY (organisation_id, donor_id),
      FOREIGN KEY (organisation_id, donor_id) REFERENCES donors (organisation_id, id)
    )`
  }),
  /** Mails in lanes, each searched by itself. What is owed waits for no budget any more. */
  "0055_mail_lanes": statements(
    `ALTER TABLE mails ADD COLUMN lane text COLLATE "C" NOT NULL DEFAULT 'written'`,
    `
    UPDATE /* every organisation */ mails SET lane = 'owed', delayed_by = NULL, waits_for = NULL,
      next_attempt_at = CASE WHEN waits_for IS NULL THEN next_attempt_at ELSE now() END
    WHERE template IN ('endpoint_disabled', 'disclosure_duties')`,
    `DROP INDEX mails_due, mails_next`,
    `
    CREATE INDEX mails_due ON mails (lane, organisation_id, next_attempt_at, id) WHERE next_attempt_at IS NOT NULL`,
    `CREATE INDEX mails_next ON mails (lane, next_attempt_at) WHERE next_attempt_at IS NOT NULL`
  ),
  /** A gift has one receipt, and a payment one summary. */
  "0056_receipts": statements(
    `
    CREATE UNIQUE INDEX mails_single ON mails (organisation_id, template, subject_id)
    WHERE template IN ('receipt', 'payment_summary')`
  ),
  /** What organisations set about their receipts. */
  "0057_giving_settings": statements(`
  CREATE TABLE giving_settings (
    organisation_id text COLLATE "C" PRIMARY KEY REFERENCES organisations (id),
    fund_name text,
    fund_abn text,
    is_deductible boolean NOT NULL,
    sends_receipts boolean NOT NULL
  )`),
  /** What organisations set about the look of their pages, and their logos. */
  "0058_looks": statements(
    `ALTER TABLE giving_settings
     ADD COLUMN accent_color text,
     ADD COLUMN logo text,
     ADD COLUMN embed_origins text[] NOT NULL DEFAULT '{}'`,
    `CREATE TABLE giving_logos (
     organisation_id text COLLATE "C" PRIMARY KEY REFERENCES organisations (id),
     name text NOT NULL,
     data text NOT NULL
   )`
  ),
  /** What guards pages against whoever tries out stolen cards. */
  "0059_card_guards": statements(`
  CREATE TABLE card_guards (
    organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
    subject text COLLATE "C" NOT NULL,
    credit int NOT NULL,
    credit_at timestamptz NOT NULL,
    in_flight int NOT NULL,
    begun_at timestamptz NOT NULL,
    closed_until timestamptz,
    closings int NOT NULL,
    PRIMARY KEY (organisation_id, subject)
  )`),
  /** Cards that wait for their holders' approval count under the guards of their pages. */
  "0060_card_approvals": statements(`ALTER TABLE card_guards ADD COLUMN waiting jsonb NOT NULL DEFAULT '[]'`),
  /** Codes that were mailed to those who asked for them. */
  "0061_email_codes": statements(
    `
  CREATE TABLE email_codes (
    organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
    id text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    email text COLLATE "C" NOT NULL,
    email_key text COLLATE "C" NOT NULL,
    token_key_id text COLLATE "C" NOT NULL,
    tries int NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organisation_id, id)
  )`,
    "CREATE INDEX email_codes_addresses ON email_codes (email_key, created_at)",
    "CREATE INDEX email_codes_organisations ON email_codes (organisation_id, created_at)",
    "CREATE INDEX email_codes_old ON email_codes (created_at)"
  ),
  /**
   * How far the summaries of financial years are, one mail for each donor and year. Years that were over before are done: their
   * donors hear nothing of them now.
   */
  "0062_yearly_summaries": statements(
    `
    CREATE TABLE yearly_summaries (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      ends_on date NOT NULL,
      after_donor_id text COLLATE "C" NOT NULL,
      mail_count int NOT NULL,
      begun_at timestamptz(3) NOT NULL,
      completed_at timestamptz(3),
      PRIMARY KEY (organisation_id, ends_on)
    )`,
    `
    INSERT INTO /* every organisation */ yearly_summaries
    SELECT o.id, (to_char((now() AT TIME ZONE 'UTC') - interval '6 months', 'YYYY') || '-06-30')::date, '', 0, now(), now()
    FROM /* every organisation */ organisations AS o`,
    `DROP INDEX mails_single`,
    `
    CREATE UNIQUE INDEX mails_single ON mails (organisation_id, template, subject_id)
    WHERE template IN ('receipt', 'payment_summary', 'yearly_summary')`
  ),
  /** The claims of donors' own links by which charges were submitted. */
  "0063_link_claims": statements("ALTER TABLE charges ADD COLUMN link_claims text"),
  /** The order of disclosures by their due date, those of which nothing is due after all others. */
  "0064_disclosures_by_due_date": Effect.andThen(
    statements(
      `ALTER TABLE disclosures
      ADD COLUMN due_key timestamptz(3) NOT NULL GENERATED ALWAYS AS (coalesce(due_at, 'infinity'::timestamptz)) STORED`,
      "CREATE INDEX disclosures_due_key ON disclosures (organisation_id, due_key, id)"
    ),
    renewKey("disclosures")
  ),
  /**
   * Whether a linked account takes payments is said by its integration alone: what the link remembered was out of date. The column
   * stays for processes of the version before, which write and read it.
   */
  "0065_charges_of_links": statements("ALTER TABLE recipient_accounts ALTER COLUMN charges_enabled SET DEFAULT true"),
  /** The languages in which donors gave, and in which their mails are. */
  "0066_languages": statements(
    "ALTER TABLE donations ADD COLUMN language text",
    "ALTER TABLE payments ADD COLUMN language text",
    "ALTER TABLE subscriptions ADD COLUMN language text",
    "ALTER TABLE email_codes ADD COLUMN language text"
  ),
  /** What is under way to a recipient, and the donors whose addresses lead to another one. */
  "0067_pending_gifts": statements(
    `CREATE INDEX payments_in_flight ON payments (organisation_id, id) WHERE payment_status IN ('PENDING', 'AWAITING_FUNDS')`,
    "CREATE INDEX recipient_accounts_incoming ON recipient_accounts (recipient_organisation_id, id)",
    "CREATE INDEX donors_merged ON donors (organisation_id, merged_into_donor_id) WHERE merged_into_donor_id IS NOT NULL"
  ),
  /** When each card began that is at its processor. Their number stays for processes of the version before, which write it. */
  "0068_card_starts": statements(
    "ALTER TABLE card_guards ADD COLUMN under_way jsonb NOT NULL DEFAULT '[]', ALTER COLUMN in_flight SET DEFAULT 0"
  )
}
