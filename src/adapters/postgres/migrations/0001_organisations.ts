import { statements } from "./Statements.ts"

/** Tenants, their keys, and the audit. */
export const organisations = statements(
  `
    CREATE TABLE organisations (
      id text COLLATE "C" PRIMARY KEY,
      slug text NOT NULL,
      name text NOT NULL,
      is_sandbox boolean NOT NULL,
      timezone text NOT NULL,
      default_currency text NOT NULL,
      abn text,
      website_url text,
      plan text NOT NULL,
      webhook_allowed_cidrs text[] NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      CONSTRAINT organisations_slug UNIQUE (slug)
    )`,
  `
    CREATE TABLE api_keys (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      name text NOT NULL,
      scope text NOT NULL,
      generation integer NOT NULL,
      secret_hash text COLLATE "C" NOT NULL,
      last4 text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      rotated_at timestamptz(3),
      revoked_at timestamptz(3),
      PRIMARY KEY (organisation_id, id)
    )`,
  // A request brings nothing but its key: the look-up that finds the tenant cannot begin with the tenant.
  `CREATE UNIQUE INDEX api_keys_secret_hash ON api_keys (secret_hash) WHERE revoked_at IS NULL`,
  `
    CREATE TABLE audit_entries (
      organisation_id text COLLATE "C" NOT NULL,
      created_at timestamptz(3) NOT NULL,
      id text COLLATE "C" NOT NULL,
      actor_type text NOT NULL,
      actor_id text NOT NULL,
      operation text NOT NULL,
      subject_id text NOT NULL,
      request_id text NOT NULL,
      PRIMARY KEY (organisation_id, created_at, id)
    )`,
  `
    CREATE UNLOGGED TABLE rate_limit_buckets (
      organisation_id text COLLATE "C" PRIMARY KEY,
      tokens double precision NOT NULL,
      at double precision NOT NULL,
      allowed boolean NOT NULL
    ) WITH (fillfactor = 50)`
)
