import { Effect } from "effect"
import { statements } from "./Statements.ts"

const users = statements(
  // Users belong to no tenant: they can be members of any number of them.
  `
    CREATE TABLE users (
      id text COLLATE "C" PRIMARY KEY,
      email text NOT NULL,
      email_key text COLLATE "C" NOT NULL,
      name text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      CONSTRAINT users_email UNIQUE (email_key)
    )`,
  `
    CREATE TABLE memberships (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      user_id text COLLATE "C" NOT NULL REFERENCES users (id),
      role text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organisation_id, user_id)
    )`,
  // A user who signs in is known by id only: their organisations are looked up from there.
  `CREATE INDEX memberships_user ON memberships (user_id, created_at, organisation_id)`
)

const introductionsTable = statements(
  `
    CREATE TABLE introductions (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      status text NOT NULL,
      invitee_email text NOT NULL,
      invitee_org_name_hint text,
      invitee_message text,
      external_id text COLLATE "C",
      token_key_id text NOT NULL,
      expires_at timestamptz(3) NOT NULL,
      viewed_at timestamptz(3),
      accepted_at timestamptz(3),
      linked_at timestamptz(3),
      revoked_at timestamptz(3),
      accepted_organisation_id text COLLATE "C" REFERENCES organisations (id),
      accepted_by_user_id text COLLATE "C" REFERENCES users (id),
      accepted_recipient_org_account_link_id text COLLATE "C",
      linked_by_user_id text COLLATE "C" REFERENCES users (id),
      resend_count integer NOT NULL,
      last_resent_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      CONSTRAINT introductions_external_id UNIQUE (organisation_id, external_id),
      FOREIGN KEY (organisation_id, accepted_recipient_org_account_link_id)
        REFERENCES recipient_accounts (organisation_id, id)
    )`,
  `CREATE INDEX introductions_created ON introductions (organisation_id, created_at, id)`,
  `CREATE INDEX introductions_status ON introductions (organisation_id, status, created_at, id)`,
  // An invitee brings nothing but a token with the introduction's id: the look-up cannot begin with the tenant.
  `CREATE UNIQUE INDEX introductions_id ON introductions (id)`,
  `
    CREATE INDEX introductions_expiring ON introductions (expires_at, id)
    WHERE status IN ('PENDING', 'VIEWED', 'ACCEPTED')`,
  `ALTER TABLE introductions ADD PRIMARY KEY (organisation_id, id)`
)

const mails = statements(
  `
    CREATE TABLE mails (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      template text NOT NULL,
      subject_id text COLLATE "C" NOT NULL,
      status text NOT NULL,
      attempt_count integer NOT NULL,
      next_attempt_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      completed_at timestamptz(3),
      lease_id text COLLATE "C",
      PRIMARY KEY (organisation_id, id)
    )`,
  `CREATE INDEX mails_due ON mails (next_attempt_at, id) WHERE next_attempt_at IS NOT NULL`
)

/** Users, introductions, and the mails about them. */
export const introductions = Effect.andThen(Effect.andThen(users, introductionsTable), mails)
