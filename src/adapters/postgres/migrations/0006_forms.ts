import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { statements } from "./Statements.ts"

const forms = statements(
  `
    CREATE TABLE donation_forms (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      slug text COLLATE "C" NOT NULL,
      status text NOT NULL,
      name text NOT NULL,
      title text NOT NULL,
      description text,
      thank_you_message text,
      disclaimer_text text,
      suggested_amounts_cents integer[] NOT NULL,
      allow_custom_amount boolean NOT NULL,
      default_amount_cents integer,
      minimum_amount_cents integer,
      maximum_amount_cents integer,
      allow_recurring boolean NOT NULL,
      recurring_frequencies text[] NOT NULL,
      default_cadence text NOT NULL,
      address_visibility text NOT NULL,
      phone_visibility text NOT NULL,
      revenue_code text,
      revenue_code_id text COLLATE "C",
      embed_token text,
      activated_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      archived_at timestamptz(3),
      CONSTRAINT donation_forms_slug UNIQUE (organisation_id, slug)
    )`,
  `CREATE INDEX donation_forms_created ON donation_forms (organisation_id, created_at, id)`,
  `CREATE INDEX donation_forms_status ON donation_forms (organisation_id, status, created_at, id)`,
  `ALTER TABLE donation_forms ADD PRIMARY KEY (organisation_id, id)`
)

/** Columns that not every link fills: their indexes hold those links only. */
const partial = ["donor_id", "donation_id", "revenue_code_id", "expires_at"] as const

const links = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE checkout_links (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      code text COLLATE "C" NOT NULL,
      donor_email text NOT NULL,
      donor_first_name text,
      donor_last_name text,
      donor_phone text,
      amount_cents integer NOT NULL CHECK (amount_cents BETWEEN 1 AND 1000000000),
      currency text NOT NULL,
      description text,
      status text NOT NULL,
      source text NOT NULL,
      revenue_code text,
      revenue_code_id text COLLATE "C",
      payment_methods text[] NOT NULL,
      processor_integration_id text COLLATE "C",
      donor_id text COLLATE "C",
      donation_id text COLLATE "C",
      pending_donation_id text COLLATE "C",
      pending_bank_transfer boolean NOT NULL,
      visit_count integer NOT NULL,
      last_visited_at timestamptz(3),
      expires_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      archived_at timestamptz(3),
      FOREIGN KEY (organisation_id, donor_id) REFERENCES donors (organisation_id, id)
    )`
  yield* sql`CREATE INDEX checkout_links_created ON checkout_links (organisation_id, created_at, id)`
  yield* sql`CREATE INDEX checkout_links_source ON checkout_links (organisation_id, source, created_at, id)`
  yield* sql`CREATE INDEX checkout_links_amount ON checkout_links (organisation_id, amount_cents, created_at, id)`
  yield* sql`CREATE INDEX checkout_links_currency ON checkout_links (organisation_id, currency, created_at, id)`
  for (const column of partial) {
    yield* sql`
      CREATE INDEX ${sql(`checkout_links_${column}`)} ON checkout_links (organisation_id, ${sql(column)}, created_at, id)
      WHERE ${sql(column)} IS NOT NULL`
  }
  // The sweeper walks the links of all organisations whose time runs out next.
  yield* sql`
    CREATE INDEX checkout_links_expiring ON checkout_links (expires_at, id)
    WHERE status = 'ACTIVE' AND pending_donation_id IS NULL AND archived_at IS NULL`
  yield* sql`ALTER TABLE checkout_links ADD PRIMARY KEY (organisation_id, id)`
})

/** The pages that donors give through. */
export const donationForms = Effect.andThen(forms, links)
