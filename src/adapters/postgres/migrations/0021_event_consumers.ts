import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { statements } from "./Statements.ts"

/**
 * Every event that is written is logged, by whichever version of the program: one that was started before this migration
 * goes on beside it. The tables' schema is the trigger's, whatever the session's `search_path` is.
 */
const logging = statements(
  `
    CREATE FUNCTION almoner_log_events() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN EXECUTE format(
      'INSERT INTO %I.event_log (organisation_id, event_id, event_type) SELECT organisation_id, id, type FROM written',
      TG_TABLE_SCHEMA); RETURN NULL; END $$`,
  `
    CREATE TRIGGER events_logged AFTER INSERT ON events REFERENCING NEW TABLE AS written
    FOR EACH STATEMENT EXECUTE FUNCTION almoner_log_events()`
)

/**
 * The order of committed events, consumers, and what these have taken. `number` is taken while an event is written, and
 * orders the events of one subject, whose changes wait for each other; `position` is given after the commit, by one after
 * the other, and has no holes. docs/decisions/0052.
 */
export const eventConsumers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE event_log (
      organisation_id text COLLATE "C" NOT NULL,
      event_id text COLLATE "C" NOT NULL,
      event_type text NOT NULL,
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      position bigint
    ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000, fillfactor = 80)`
  yield* logging
  yield* sql`
    INSERT INTO event_log (organisation_id, event_id, event_type, position)
    SELECT e.organisation_id, e.id, e.type, row_number() OVER (ORDER BY e.created_at, e.id)
    FROM events AS e ORDER BY e.created_at, e.id`
  yield* sql`CREATE INDEX event_log_new ON event_log (number) WHERE position IS NULL`
  yield* sql`CREATE UNIQUE INDEX event_log_position ON event_log (position) WHERE position IS NOT NULL`
  yield* sql`
    CREATE TABLE event_consumers (
      name text COLLATE "C" PRIMARY KEY,
      event_types text[],
      since timestamptz(3),
      position bigint NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL
    )`
  yield* sql`
    CREATE TABLE consumed_events (
      consumer text COLLATE "C" NOT NULL REFERENCES event_consumers (name) ON DELETE CASCADE,
      position bigint NOT NULL,
      organisation_id text COLLATE "C" NOT NULL,
      event_id text COLLATE "C" NOT NULL,
      event_type text NOT NULL,
      subject_id text COLLATE "C" NOT NULL,
      status text NOT NULL,
      attempt_count integer NOT NULL,
      interruption_count integer NOT NULL,
      next_attempt_at timestamptz(3),
      error text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      parked_at timestamptz(3),
      lease_id text COLLATE "C",
      lease_until timestamptz(3),
      CHECK ((lease_id IS NULL) = (lease_until IS NULL))
    ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, fillfactor = 80)`
  yield* sql`
    CREATE INDEX consumed_events_subject ON consumed_events (consumer, organisation_id, subject_id, position)`
  yield* sql`CREATE INDEX consumed_events_event ON consumed_events (consumer, event_id)`
  // The newest of the indexes that begin alike: the planner takes it before the first ANALYZE.
  yield* sql`ALTER TABLE consumed_events ADD PRIMARY KEY (consumer, position)`
})
