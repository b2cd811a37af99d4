import { Effect } from "effect"
import { statements } from "./Statements.ts"

const integrations = statements(
  `
    CREATE TABLE integrations (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      label text NOT NULL,
      processor text NOT NULL,
      processor_connect_account_id text NOT NULL,
      charges_enabled boolean NOT NULL,
      passphrase_hash text COLLATE "C",
      passphrase_key_id text COLLATE "C",
      passphrase_rotated_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL
    )`,
  `CREATE INDEX integrations_created ON integrations (organisation_id, created_at, id)`,
  `
    CREATE INDEX integrations_passphrase ON integrations (passphrase_hash, passphrase_key_id)
    WHERE passphrase_hash IS NOT NULL`,
  `ALTER TABLE integrations ADD PRIMARY KEY (organisation_id, id)`
)

const links = statements(
  `
    CREATE TABLE recipient_accounts (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      label text NOT NULL,
      recipient_organisation_id text COLLATE "C" NOT NULL,
      recipient_org_name text NOT NULL,
      recipient_org_slug text NOT NULL,
      recipient_account_label text NOT NULL,
      recipient_integration_id text COLLATE "C" NOT NULL,
      processor_connect_account_id text NOT NULL,
      charges_enabled boolean NOT NULL,
      is_active boolean NOT NULL,
      introduction_id text COLLATE "C",
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      deactivated_at timestamptz(3),
      CONSTRAINT recipient_accounts_integration UNIQUE (organisation_id, recipient_integration_id),
      FOREIGN KEY (recipient_organisation_id, recipient_integration_id) REFERENCES integrations (organisation_id, id)
    )`,
  `CREATE INDEX recipient_accounts_created ON recipient_accounts (organisation_id, created_at, id)`,
  `CREATE INDEX recipient_accounts_active ON recipient_accounts (organisation_id, is_active, created_at, id)`,
  `
    CREATE INDEX recipient_accounts_recipient ON recipient_accounts (organisation_id, recipient_organisation_id, id)
    WHERE is_active`,
  `ALTER TABLE recipient_accounts ADD PRIMARY KEY (organisation_id, id)`,
  `
    CREATE VIEW linked_organisations WITH (security_invoker = true) AS
    SELECT l.organisation_id, o.id, o.name, o.slug, o.abn, o.website_url, o.is_sandbox, o.created_at,
      array_agg(l.id ORDER BY l.created_at, l.id) AS recipient_org_account_link_ids
    FROM recipient_accounts AS l JOIN organisations AS o ON o.id = l.recipient_organisation_id
    WHERE l.is_active
    GROUP BY l.organisation_id, o.id`
)

/** One row for each organisation that ever exchanged a passphrase, which its exchanges lock. */
const failures = statements(
  `
    CREATE TABLE passphrase_failures (
      organisation_id text COLLATE "C" PRIMARY KEY REFERENCES organisations (id),
      failed_at timestamptz(3)[] NOT NULL
    )`
)

/** Accounts that can receive distributions, the links to them, and the failed exchanges of passphrases. */
export const recipientAccounts = integrations.pipe(Effect.andThen(links), Effect.andThen(failures))
