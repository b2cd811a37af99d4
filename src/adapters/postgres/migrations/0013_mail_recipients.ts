import { statements } from "./Statements.ts"

/** The recipient of a mail whose subject does not name one. */
export const mailRecipients = statements(
  `ALTER TABLE mails ADD COLUMN recipient_id text COLLATE "C" REFERENCES users (id)`
)
