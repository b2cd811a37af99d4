import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The day on which money arrived. Days of before are those of the organisation's timezone as it is now. */
const receivedDays = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE donations ADD COLUMN received_day date`
  yield* sql`
    UPDATE donations AS t SET received_day = (t.received_date AT TIME ZONE coalesce(z.name, 'UTC'))::date
    FROM organisations AS o LEFT JOIN pg_timezone_names AS z ON z.name = o.timezone
    WHERE o.id = t.organisation_id AND t.received_date IS NOT NULL`
  yield* sql`
    CREATE INDEX donations_received_day ON donations (organisation_id, received_day, created_at, id)
    WHERE received_day IS NOT NULL`
})

/** A gift's ledger is listed in order. */
const refundLists = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX refunds_donation`
  yield* sql`CREATE INDEX refunds_donation ON refunds (organisation_id, donation_id, created_at, id)`
  // The newest index of those that hold the id is the one that the planner takes before the first ANALYZE.
  yield* sql`ALTER TABLE refunds DROP CONSTRAINT refunds_pkey, ADD PRIMARY KEY (organisation_id, id)`
})

/** What lists ask for, and what was not unique before. */
export const records = receivedDays.pipe(Effect.andThen(refundLists))
