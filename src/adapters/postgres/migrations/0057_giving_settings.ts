import { statements } from "./Statements.ts"

/** What organisations set about their receipts. */
export const givingSettings = statements(`
  CREATE TABLE giving_settings (
    organisation_id text COLLATE "C" PRIMARY KEY REFERENCES organisations (id),
    fund_name text,
    fund_abn text,
    is_deductible boolean NOT NULL,
    sends_receipts boolean NOT NULL
  )`)
