import { statements } from "./Statements.ts"

/** Lines of bank statements are known by the bank's ids and balances, and by the file that they came with. */
export const statementLines = statements(
  `
    ALTER TABLE credits
      ADD COLUMN bank_id text COLLATE "C",
      ADD COLUMN balance_cents bigint,
      ADD COLUMN import_id text COLLATE "C",
      ADD COLUMN voided_at timestamptz(3)`,
  `CREATE INDEX credits_day ON credits (day, organisation_id)`,
  `CREATE INDEX credits_bank_id ON credits (organisation_id, bank_id) WHERE bank_id IS NOT NULL`,
  `
    CREATE INDEX credits_import ON credits (organisation_id, import_id, created_at, id) WHERE import_id IS NOT NULL`,
  `ALTER TABLE integrations ADD COLUMN statement_mapping jsonb, ADD COLUMN statement_until date`
)
