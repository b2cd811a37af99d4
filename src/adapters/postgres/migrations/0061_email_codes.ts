import { statements } from "./Statements.ts"

/** Codes that were mailed to those who asked for them. */
export const emailCodes = statements(
  `
  CREATE TABLE email_codes (
    organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
    id text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    email text COLLATE "C" NOT NULL,
    email_key text COLLATE "C" NOT NULL,
    token_key_id text COLLATE "C" NOT NULL,
    tries int NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organisation_id, id)
  )`,
  "CREATE INDEX email_codes_addresses ON email_codes (email_key, created_at)",
  "CREATE INDEX email_codes_organisations ON email_codes (organisation_id, created_at)",
  "CREATE INDEX email_codes_old ON email_codes (created_at)"
)
