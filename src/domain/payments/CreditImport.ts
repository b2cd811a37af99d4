import { Schema } from "effect"
import { meanings, NewStatementMapping } from "../access/StatementMapping.ts"
import { clearable } from "../kernel/Fields.ts"
import { Limits } from "../kernel/Limits.ts"
import { GivenId } from "../kernel/Text.ts"
import { StatementFormat } from "./StatementKind.ts"

/** A file of a bank statement, and where in its lines what stands if it does not say that itself. */
export const CreditImport = NewStatementMapping.mapFields((mapping) => ({
  integration_id: GivenId,
  content: Schema.String.check(Schema.isMaxLength(Limits.creditFileCharacters)),
  format: clearable(StatementFormat),
  ...mapping,
  anyway: clearable(Schema.Boolean),
  is_further: clearable(Schema.Boolean),
  is_dry_run: clearable(Schema.Boolean)
})).annotate({
  identifier: "CreditImport",
  meanings: {
    ...meanings,
    integration_id: "The organisation's account at the bank whose statement it is.",
    content: "The text of the file.",
    format:
      "The form of the file: values with delimiters, ISO 20022 (camt.053) or OFX; by how it begins when not given. A mapping is for the first alone.",
    anyway:
      "Whether to import what is refused otherwise: days of which other lines are recorded, and a mapping that is not the account's.",
    is_further:
      "Whether the file goes on amid a day that is recorded in part: its lines are further ones, also where they are alike.",
    is_dry_run: "Whether to say what would come of it, and keep nothing."
  }
})
export type CreditImport = typeof CreditImport.Type
