import { statements } from "./Statements.ts"

/**
 * Gifts of recommendation sets tell by which link they came, and recipients say by which code they count, for each link
 * and else for all.
 */
export const defaultCodes = statements(
  `ALTER TABLE donations ADD COLUMN recipient_account_link_id text COLLATE "C"`,
  `
    UPDATE /* every organisation */ donations AS d SET recipient_account_link_id = a.recipient_org_account_link_id
    FROM /* every organisation */ payment_allocations AS a
    WHERE d.allocation_id = a.id AND d.organisation_id = a.recipient_organisation_id`,
  `
    CREATE TABLE default_codes (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      recipient_account_link_id text COLLATE "C",
      revenue_code_id text COLLATE "C" NOT NULL,
      created_at timestamptz(3) NOT NULL,
      FOREIGN KEY (organisation_id, revenue_code_id) REFERENCES revenue_codes (organisation_id, id)
    )`,
  `
    CREATE UNIQUE INDEX default_codes_link ON default_codes (organisation_id, coalesce(recipient_account_link_id, ''))`
)
