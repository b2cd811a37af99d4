import { Effect } from "effect"
import { statements } from "./Statements.ts"

const endpointsAndEvents = statements(
  `
    CREATE TABLE webhook_endpoints (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      url text NOT NULL,
      description text,
      event_types text[] NOT NULL,
      is_active boolean NOT NULL,
      disabled_reason text,
      secret_last4 text NOT NULL,
      sealed_secret text NOT NULL,
      previous_sealed_secret text,
      previous_secret_expires_at timestamptz(3),
      failing_since timestamptz(3),
      exhausted_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      deleted_at timestamptz(3)
    )`,
  `
    CREATE INDEX webhook_endpoints_created ON webhook_endpoints (organisation_id, created_at, id)`,
  `
    CREATE INDEX webhook_endpoints_active ON webhook_endpoints (organisation_id, id)
    WHERE is_active AND deleted_at IS NULL`,
  `
    CREATE INDEX webhook_endpoints_failing ON webhook_endpoints (organisation_id, failing_since)
    WHERE exhausted_at IS NOT NULL`,
  `ALTER TABLE webhook_endpoints ADD PRIMARY KEY (organisation_id, id)`,
  // The body is signed as it is: text, never jsonb, which would not keep its bytes.
  `
    CREATE TABLE events (
      organisation_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      type text NOT NULL,
      occurred_at timestamptz(3) NOT NULL,
      created_at timestamptz(3) NOT NULL,
      dedupe_key text COLLATE "C",
      body text NOT NULL
    )`,
  `CREATE INDEX events_created ON events (organisation_id, created_at, id)`,
  `CREATE INDEX events_type ON events (organisation_id, type, created_at, id)`,
  `
    CREATE UNIQUE INDEX events_once ON events (organisation_id, type, dedupe_key) WHERE dedupe_key IS NOT NULL`,
  `ALTER TABLE events ADD PRIMARY KEY (organisation_id, id)`
)

const deliveries = statements(
  // Small and busy: rows come and go, so vacuum goes by the number of dead rows.
  `
    CREATE TABLE pending_deliveries (
      organisation_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      endpoint_id text COLLATE "C" NOT NULL,
      event_id text COLLATE "C" NOT NULL,
      event_type text NOT NULL,
      attempt_count integer NOT NULL,
      next_attempt_at timestamptz(3) NOT NULL,
      replay_of text COLLATE "C",
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      lease_id text COLLATE "C",
      lease_until timestamptz(3),
      CHECK ((lease_id IS NULL) = (lease_until IS NULL))
    ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, fillfactor = 80)`,
  `
    CREATE INDEX pending_deliveries_free ON pending_deliveries (organisation_id, endpoint_id, next_attempt_at, id)
    WHERE lease_id IS NULL`,
  `
    CREATE INDEX pending_deliveries_leased ON pending_deliveries (organisation_id, lease_until, id)
    WHERE lease_id IS NOT NULL`,
  `CREATE INDEX pending_deliveries_created ON pending_deliveries (organisation_id, created_at, id)`,
  `ALTER TABLE pending_deliveries ADD PRIMARY KEY (organisation_id, id)`,
  `
    CREATE TABLE finished_deliveries (
      organisation_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      endpoint_id text COLLATE "C" NOT NULL,
      event_id text COLLATE "C" NOT NULL,
      event_type text NOT NULL,
      status text NOT NULL,
      attempt_count integer NOT NULL,
      replay_of text COLLATE "C",
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      completed_at timestamptz(3) NOT NULL
    )`,
  `CREATE INDEX finished_deliveries_created ON finished_deliveries (organisation_id, created_at, id)`,
  `
    CREATE INDEX finished_deliveries_endpoint ON finished_deliveries (organisation_id, endpoint_id, created_at, id)`,
  `
    CREATE INDEX finished_deliveries_status ON finished_deliveries (organisation_id, status, created_at, id)`,
  `ALTER TABLE finished_deliveries ADD PRIMARY KEY (organisation_id, id)`,
  `
    CREATE VIEW webhook_deliveries AS
    SELECT organisation_id, id, endpoint_id, event_id, event_type, 'PENDING'::text AS status, attempt_count,
           next_attempt_at, replay_of, created_at, updated_at, NULL::timestamptz(3) AS completed_at
    FROM pending_deliveries
    UNION ALL
    SELECT organisation_id, id, endpoint_id, event_id, event_type, status, attempt_count,
           NULL::timestamptz(3), replay_of, created_at, updated_at, completed_at
    FROM finished_deliveries`,
  `
    CREATE TABLE delivery_attempts (
      organisation_id text COLLATE "C" NOT NULL,
      delivery_id text COLLATE "C" NOT NULL,
      number integer NOT NULL,
      attempted_at timestamptz(3) NOT NULL,
      response_status integer,
      response_excerpt text,
      retry_after text,
      error text,
      duration_ms integer,
      PRIMARY KEY (organisation_id, delivery_id, number)
    )`
)

export const webhooks = Effect.andThen(endpointsAndEvents, deliveries)
