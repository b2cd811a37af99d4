import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { statements } from "./Statements.ts"

const sets = statements(
  // The floor and the total may exceed the largest gift: only the amounts of a hundred recipients bound them.
  `
    CREATE TABLE recommendation_sets (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      name text NOT NULL,
      slug text NOT NULL,
      url_key text COLLATE "C" NOT NULL,
      description text,
      is_active boolean NOT NULL,
      amount_mode text NOT NULL,
      min_total_cents int8 CHECK (min_total_cents >= 1),
      total_amount_cents int8 NOT NULL CHECK (total_amount_cents >= 0),
      allocation_count integer NOT NULL CHECK (allocation_count >= 1),
      expires_at timestamptz(3),
      archived_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      CONSTRAINT recommendation_sets_url_key UNIQUE (organisation_id, url_key)
    )`,
  `CREATE INDEX recommendation_sets_created ON recommendation_sets (organisation_id, created_at, id)`,
  `CREATE INDEX recommendation_sets_active ON recommendation_sets (organisation_id, is_active, created_at, id)`,
  `CREATE INDEX recommendation_sets_mode ON recommendation_sets (organisation_id, amount_mode, created_at, id)`,
  `
    CREATE INDEX recommendation_sets_expires ON recommendation_sets (organisation_id, expires_at, created_at, id)
    WHERE expires_at IS NOT NULL`,
  `ALTER TABLE recommendation_sets ADD PRIMARY KEY (organisation_id, id)`,
  `
    CREATE TABLE set_allocations (
      organisation_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      recommendation_set_id text COLLATE "C" NOT NULL,
      position integer NOT NULL,
      recipient_org_account_link_id text COLLATE "C" NOT NULL,
      amount_cents integer NOT NULL CHECK (amount_cents BETWEEN 0 AND 1000000000),
      FOREIGN KEY (organisation_id, recommendation_set_id) REFERENCES recommendation_sets (organisation_id, id),
      FOREIGN KEY (organisation_id, recipient_org_account_link_id) REFERENCES recipient_accounts (organisation_id, id)
    )`,
  `CREATE INDEX set_allocations_set ON set_allocations (organisation_id, recommendation_set_id, position)`,
  `ALTER TABLE set_allocations ADD PRIMARY KEY (organisation_id, id)`
)

/** Payments are listed for one set, and filtered within it; the donor's index serves merges, too. */
const payments = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE payments (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      recommendation_set_id text COLLATE "C",
      donor_id text COLLATE "C",
      campaign_id text COLLATE "C",
      payment_status text NOT NULL,
      currency text NOT NULL,
      total_amount_cents integer NOT NULL CHECK (total_amount_cents BETWEEN 1 AND 1000000000),
      ask_total_cents int8,
      payment_method_type text NOT NULL,
      platform_fee_cents integer NOT NULL,
      processor_fee_cents integer NOT NULL,
      processor_reference text,
      failure_code text,
      succeeded_at timestamptz(3),
      failed_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      FOREIGN KEY (organisation_id, recommendation_set_id) REFERENCES recommendation_sets (organisation_id, id),
      FOREIGN KEY (organisation_id, donor_id) REFERENCES donors (organisation_id, id)
    )`
  yield* sql`
    CREATE INDEX payments_donor ON payments (organisation_id, donor_id, recommendation_set_id, created_at, id)`
  for (const [name, column] of [
    ["payments_status", "payment_status"],
    ["payments_method", "payment_method_type"],
    ["payments_amount", "total_amount_cents"]
  ] as const) {
    yield* sql`
      CREATE INDEX ${sql(name)} ON payments (organisation_id, recommendation_set_id, ${sql(column)}, created_at, id)`
  }
  // This index also sums up a set's payments without reading their rows.
  yield* sql`
    CREATE INDEX payments_set ON payments (organisation_id, recommendation_set_id, created_at, id)
    INCLUDE (payment_status, total_amount_cents)`
  yield* sql`ALTER TABLE payments ADD PRIMARY KEY (organisation_id, id)`
})

const transfers = statements(
  // The recipient's donation belongs to another organisation, so that only its id is stored, as the donation stores the
  // set's.
  `
    CREATE TABLE payment_allocations (
      organisation_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      payment_id text COLLATE "C" NOT NULL,
      position integer NOT NULL,
      recipient_org_account_link_id text COLLATE "C" NOT NULL,
      recipient_organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      gross_amount_cents integer NOT NULL CHECK (gross_amount_cents BETWEEN 0 AND 1000000000),
      net_amount_cents integer NOT NULL CHECK (net_amount_cents BETWEEN 0 AND gross_amount_cents),
      transfer_status text NOT NULL,
      donation_id text COLLATE "C",
      failure_code text,
      processor_reference text,
      retry_count integer NOT NULL,
      succeeded_at timestamptz(3),
      failed_at timestamptz(3),
      reversed_at timestamptz(3),
      FOREIGN KEY (organisation_id, payment_id) REFERENCES payments (organisation_id, id),
      FOREIGN KEY (organisation_id, recipient_org_account_link_id) REFERENCES recipient_accounts (organisation_id, id)
    )`,
  `CREATE INDEX payment_allocations_payment ON payment_allocations (organisation_id, payment_id, position)`,
  `ALTER TABLE payment_allocations ADD PRIMARY KEY (organisation_id, id)`
)

/** Recommendation sets, the payments to them, and the transfers of these to the recipients. */
export const recommendationSets = sets.pipe(Effect.andThen(payments), Effect.andThen(transfers))
