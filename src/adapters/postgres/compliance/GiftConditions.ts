import type { SqlClient } from "effect/sql"
import { countableRule } from "../../../domain/compliance/Assessment.ts"
import { byDefaultRule, codedRule } from "../../../domain/compliance/DefaultCode.ts"
import { presentRule } from "../../../domain/compliance/Disclosure.ts"
import { ruleOf } from "../records/Rows.ts"

/** Disclosures that are not superseded, gifts that may count, and the codes that they count by. */
export const giftConditions = (sql: SqlClient.SqlClient) => {
  const isByDefault = ruleOf(sql, byDefaultRule, "t")
  // The code that a gift counts by, as `effectiveCodeOf` has it.
  const joined = (join: "JOIN" | "LEFT JOIN") => sql`
    LEFT JOIN default_codes AS l
      ON l.organisation_id = t.organisation_id AND l.recipient_account_link_id = t.recipient_account_link_id
    LEFT JOIN default_codes AS o ON o.organisation_id = t.organisation_id AND o.recipient_account_link_id IS NULL
    ${sql.literal(join)} revenue_codes AS c ON c.organisation_id = t.organisation_id
      AND c.id = CASE WHEN ${isByDefault} THEN coalesce(l.revenue_code_id, o.revenue_code_id) ELSE t.revenue_code_id END`
  return {
    present: ruleOf(sql, presentRule, "t"),
    // The index of these gifts is of those that may have a code.
    countable: ruleOf(sql, { _tag: "Every", rules: [countableRule, codedRule] }, "t"),
    countableAtAll: ruleOf(sql, countableRule, "t"),
    isByDefault,
    codes: joined("JOIN"),
    codesIfAny: joined("LEFT JOIN")
  }
}
