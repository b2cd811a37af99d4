import { Schema } from "effect"
import { clearable } from "../kernel/Fields.ts"
import { Limits } from "../kernel/Limits.ts"
import { GivenId, Name } from "../kernel/Text.ts"

/** How days are written in a file. */
export const DayFormat = Schema.Literals([
  "YYYY-MM-DD",
  "DD/MM/YYYY",
  "MM/DD/YYYY",
  "DD-MMM-YYYY",
  "YYYYMMDD"
]).annotate({ identifier: "CreditDayFormat" })
export type DayFormat = typeof DayFormat.Type

const column = clearable(Name)

/** A file of a bank statement, and where in its lines what stands. */
export const CreditImport = Schema.Struct({
  integration_id: GivenId,
  content: Schema.String.check(Schema.isMaxLength(Limits.creditFileCharacters)),
  day_column: column,
  day_format: clearable(DayFormat),
  text_columns: clearable(Schema.Array(Name).check(Schema.isMinLength(1), Schema.isMaxLength(Limits.creditFields))),
  amount_column: column,
  credit_column: column,
  debit_column: column,
  currency_column: column,
  amounts: clearable(Schema.Literals(["decimal", "cents"])),
  decimal_mark: clearable(Schema.Literals([".", ","])),
  is_negated: clearable(Schema.Boolean),
  delimiter: clearable(Schema.Literals([",", ";", "\t", "|"])),
  has_heading: clearable(Schema.Boolean),
  is_dry_run: clearable(Schema.Boolean)
}).annotate({
  identifier: "CreditImport",
  meanings: {
    integration_id: "The organisation's account at the bank whose statement it is.",
    content: "The text of the file.",
    day_column: "The column of the day, by its heading or its number from 1; `Date` when not given.",
    day_format: "How days are written; `YYYY-MM-DD` when not given.",
    text_columns: "The columns of the text; `Description` when not given.",
    amount_column: "The column of the amount, which is below 0 where money went; `Amount` when not given.",
    credit_column: "The column of what came, where that has a column of its own.",
    debit_column: "The column of what went, beside `credit_column`.",
    currency_column: "The column of the currency: lines of another one than the account's are refused.",
    amounts: "Whether amounts are written as 12.50 or as 1250; `decimal` when not given.",
    decimal_mark: "What stands before the minor units; `.` when not given.",
    is_negated: "Whether what came is written below 0.",
    delimiter: "What stands between fields; a comma when not given.",
    has_heading: "Whether the first line names the columns; true when not given.",
    is_dry_run: "Whether to say what would come of it, and keep nothing."
  }
})
export type CreditImport = typeof CreditImport.Type
