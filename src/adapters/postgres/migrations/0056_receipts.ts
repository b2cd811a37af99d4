import { statements } from "./Statements.ts"

/** A gift has one receipt, and a payment one summary. */
export const receipts = statements(
  `
    CREATE UNIQUE INDEX mails_single ON mails (organisation_id, template, subject_id)
    WHERE template IN ('receipt', 'payment_summary')`
)
