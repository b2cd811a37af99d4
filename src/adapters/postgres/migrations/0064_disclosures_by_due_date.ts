import { Effect } from "effect"
import { renewKey } from "./0020_newest_keys.ts"
import { statements } from "./Statements.ts"

/** The order of disclosures by their due date, those of which nothing is due after all others. */
export const disclosuresByDueDate = Effect.andThen(
  statements(
    `ALTER TABLE disclosures
      ADD COLUMN due_key timestamptz(3) NOT NULL GENERATED ALWAYS AS (coalesce(due_at, 'infinity'::timestamptz)) STORED`,
    "CREATE INDEX disclosures_due_key ON disclosures (organisation_id, due_key, id)"
  ),
  renewKey("disclosures")
)
