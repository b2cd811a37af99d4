import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { statements } from "./Statements.ts"

/** Columns that few gifts fill: their indexes hold those gifts only. */
const rare = [
  "revenue_code_id",
  "donation_form_id",
  "campaign_id",
  "recommendation_set_id",
  "subscription_id",
  "external_id"
] as const

const revenueCodes = statements(
  `
    CREATE TABLE revenue_codes (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      code text NOT NULL,
      code_key text COLLATE "C" NOT NULL,
      namespace text NOT NULL,
      description text,
      is_fca boolean NOT NULL,
      archived_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      CONSTRAINT revenue_codes_code UNIQUE (organisation_id, namespace, code_key)
    )`,
  `CREATE INDEX revenue_codes_created ON revenue_codes (organisation_id, created_at, id)`,
  `ALTER TABLE revenue_codes ADD PRIMARY KEY (organisation_id, id)`
)

const gifts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE donations (
      organisation_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      donor_id text COLLATE "C" NOT NULL,
      external_id text,
      source text NOT NULL,
      status text NOT NULL,
      amount_cents integer NOT NULL CHECK (amount_cents BETWEEN 1 AND 1000000000),
      refunded_amount_cents integer NOT NULL CHECK (refunded_amount_cents BETWEEN 0 AND amount_cents),
      currency text NOT NULL,
      donation_type text NOT NULL,
      in_kind_category text,
      in_kind_description text,
      donation_date timestamptz(3) NOT NULL,
      donation_day date NOT NULL,
      received_date timestamptz(3),
      payment_method text,
      revenue_code text,
      revenue_code_id text COLLATE "C",
      recommendation_set_id text COLLATE "C",
      allocation_id text COLLATE "C",
      subscription_id text COLLATE "C",
      is_recurring boolean NOT NULL,
      donation_form_id text COLLATE "C",
      campaign_id text COLLATE "C",
      consent_given boolean,
      consent_responses jsonb NOT NULL,
      differs_from_record boolean,
      submitted_donor jsonb,
      failure_code text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      deleted_at timestamptz(3),
      FOREIGN KEY (organisation_id, donor_id) REFERENCES donors (organisation_id, id)
    )`
  yield* sql`CREATE INDEX donations_day ON donations (organisation_id, donation_day, created_at, id)`
  yield* sql`CREATE INDEX donations_amount ON donations (organisation_id, amount_cents, created_at, id)`
  yield* sql`CREATE INDEX donations_currency ON donations (organisation_id, currency, created_at, id)`
  yield* sql`CREATE INDEX donations_source ON donations (organisation_id, source, created_at, id)`
  yield* sql`CREATE INDEX donations_donor ON donations (organisation_id, donor_id, created_at, id)`
  yield* sql`CREATE INDEX donations_status ON donations (organisation_id, status, created_at, id)`
  yield* sql`CREATE INDEX donations_created ON donations (organisation_id, created_at, id)`
  yield* sql`
    CREATE INDEX donations_in_kind ON donations (organisation_id, created_at, id) WHERE donation_type = 'IN_KIND'`
  yield* sql`CREATE INDEX donations_recurring ON donations (organisation_id, created_at, id) WHERE is_recurring`
  yield* sql`ALTER TABLE donations ADD PRIMARY KEY (organisation_id, id)`
  for (const column of rare) {
    yield* sql`
      CREATE INDEX ${sql(`donations_${column}`)} ON donations (organisation_id, ${sql(column)}, created_at, id)
      WHERE ${sql(column)} IS NOT NULL`
  }
})

const answers = statements(
  `
    CREATE TABLE idempotency_records (
      organisation_id text COLLATE "C" NOT NULL,
      scope text COLLATE "C" NOT NULL,
      body_hash text NOT NULL,
      status integer,
      content_type text,
      body bytea,
      sealed_body text,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organisation_id, scope)
    )`
)

/** Gifts, the revenue codes that they are booked under, and the stored answers of idempotency keys. */
export const donations = revenueCodes.pipe(Effect.andThen(gifts), Effect.andThen(answers))
