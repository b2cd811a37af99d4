import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { renewKey } from "./0020_newest_keys.ts"
import { statements } from "./Statements.ts"

const prompts = statements(
  `
    CREATE TABLE consent_prompts (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      text text NOT NULL,
      position integer NOT NULL CHECK (position BETWEEN 1 AND 1000),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      archived_at timestamptz(3)
    )`,
  `CREATE INDEX consent_prompts_created ON consent_prompts (organisation_id, created_at, id)`,
  `ALTER TABLE consent_prompts ADD PRIMARY KEY (organisation_id, id)`
)

/** A payment's details of its donor until the money has arrived: the personalised link, and the typed fields. */
const givers = statements(
  `
    ALTER TABLE payments
      ADD COLUMN link_donor_id text COLLATE "C",
      ADD COLUMN submitted_donor jsonb,
      ADD COLUMN consent_given boolean,
      ADD COLUMN consent_responses jsonb NOT NULL DEFAULT '[]',
      ADD FOREIGN KEY (organisation_id, link_donor_id) REFERENCES donors (organisation_id, id)`,
  `
    CREATE INDEX payments_link_donor ON payments (organisation_id, link_donor_id) WHERE link_donor_id IS NOT NULL`
)

/** Pages are found by the secret of their address, and campaigns by the reference that their links carry. */
const keys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX checkout_links_code ON checkout_links (organisation_id, code)`
  yield* sql`
    CREATE INDEX campaigns_reference ON campaigns (organisation_id, public_ref) WHERE public_ref IS NOT NULL`
  // The newest of the indexes that begin alike: the planner takes it before the first ANALYZE.
  yield* Effect.forEach(["checkout_links", "campaigns", "payments"], renewKey, { discard: true })
})

/** The tables and columns of the pages of checkout links and recommendation sets. */
export const checkouts = prompts.pipe(Effect.andThen(givers), Effect.andThen(keys))
