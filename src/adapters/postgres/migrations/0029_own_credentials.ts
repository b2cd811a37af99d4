import { statements } from "./Statements.ts"

/** The credentials of integrations that are accounts of their own. Every one until now is a connected account. */
export const ownCredentials = statements(
  `
    ALTER TABLE integrations
      ADD COLUMN is_own boolean NOT NULL DEFAULT false,
      ADD COLUMN sealed_credentials text,
      ADD COLUMN previous_sealed_notice_secrets text,
      ADD COLUMN previous_notice_secrets_expire_at timestamptz(3),
      ADD COLUMN credentials_rotated_at timestamptz(3)`
)
