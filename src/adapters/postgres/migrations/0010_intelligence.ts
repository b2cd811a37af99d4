import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { statements } from "./Statements.ts"

const filtered = ["status", "audience_type", "destination_type"] as const

const campaigns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE campaigns (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      status text NOT NULL,
      name text NOT NULL,
      audience_type text NOT NULL,
      audience_id text COLLATE "C" NOT NULL,
      audience_name text NOT NULL,
      destination_type text NOT NULL,
      destination_id text COLLATE "C" NOT NULL,
      destination_name text NOT NULL,
      delivery_method text NOT NULL,
      public_ref text COLLATE "C",
      generated_count integer,
      without_email integer,
      ask_total_cents bigint,
      generated_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL
    )`
  for (const column of filtered) {
    yield* sql`
      CREATE INDEX ${sql(`campaigns_${column}`)} ON campaigns (organisation_id, ${sql(column)}, created_at, id)`
  }
  yield* sql`CREATE INDEX campaigns_created ON campaigns (organisation_id, created_at, id)`
  yield* sql`ALTER TABLE campaigns ADD PRIMARY KEY (organisation_id, id)`
  // Few payments come through a campaign: they are summed up without reading their rows.
  yield* sql`
    CREATE INDEX payments_campaign ON payments (organisation_id, campaign_id)
    INCLUDE (payment_status, total_amount_cents, donor_id) WHERE campaign_id IS NOT NULL`
})

const scores = statements(
  `
    CREATE TABLE score_computations (
      organisation_id text COLLATE "C" PRIMARY KEY REFERENCES organisations (id),
      scoring_version integer NOT NULL,
      computed_at timestamptz(3) NOT NULL
    )`,
  `
    CREATE TABLE donor_scores (
      organisation_id text COLLATE "C" NOT NULL,
      donor_id text COLLATE "C" NOT NULL,
      currency text COLLATE "C" NOT NULL,
      band text,
      play text NOT NULL,
      suggested_ask_cents bigint,
      opportunity_cents bigint NOT NULL,
      reason text NOT NULL,
      basis text,
      last_gift_cents bigint,
      average_gift_cents bigint,
      segment_median_cents bigint,
      last_gift_at timestamptz(3),
      factors jsonb NOT NULL,
      scoring_version integer NOT NULL,
      computed_at timestamptz(3) NOT NULL,
      FOREIGN KEY (organisation_id, donor_id) REFERENCES donors (organisation_id, id)
    )`,
  // The order of the worklist, which reads only its beginning.
  `
    CREATE INDEX donor_scores_opportunity ON donor_scores (
      organisation_id, opportunity_cents DESC, last_gift_at DESC NULLS LAST, donor_id, currency)`,
  `ALTER TABLE donor_scores ADD PRIMARY KEY (organisation_id, donor_id, currency)`
)

const segments = statements(
  `
    ALTER TABLE segments
      DROP COLUMN rule,
      ADD COLUMN revenue_code_id text COLLATE "C",
      ALTER COLUMN slug TYPE text COLLATE "C"`
)

/** Campaigns and their payments, the scores of donors, and the rules of segments. */
export const intelligence = campaigns.pipe(Effect.andThen(scores), Effect.andThen(segments))
