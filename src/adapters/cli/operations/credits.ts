import { Argument, Flag } from "effect/cli"
import { creditOperations as declared } from "../../../app/payments/Credits.ts"
import { DayFormat } from "../../../domain/payments/CreditImport.ts"
import { commandsOf } from "../Operation.ts"
import { runAgainst } from "../Over.ts"
import { idOf, optional, pageFlags, switchOf, valuesOf, withDescription } from "./Parameters.ts"

const integration = withDescription(
  Flag.String("integration"),
  "The account that the money came to, by its integration's id"
)

const column = (flag: string, what: string) =>
  optional(Flag.String(flag), `The column of ${what}, by its heading or its number from 1`)

const columns = [
  "id",
  "day",
  "amount_cents",
  "currency",
  "text",
  "reference",
  "number",
  "charge_id",
  "integration_id",
  "created_at"
]

const delimiters = { comma: ",", semicolon: ";", tab: "\t", bar: "|" } as const

export const creditCommands = commandsOf("credit", {
  import: runAgainst(declared.import, {
    files: { content: "file" },
    parameters: {
      content: Argument.withDescription(
        Argument.String("file"),
        "A file of values with commas between them, in UTF-8; - for standard input"
      ),
      integration_id: integration,
      day_column: column("day-column", "the day (default: Date)"),
      day_format: optional(
        Flag.Literals("day-format", DayFormat.literals),
        "How days are written (default: YYYY-MM-DD)"
      ),
      text_columns: Flag.optional(
        valuesOf("text-columns", "The columns of the text, comma-separated (default: Description)")
      ),
      amount_column: column("amount-column", "the amount, below 0 where money went (default: Amount)"),
      credit_column: column("credit-column", "what came, where that has one of its own"),
      debit_column: column("debit-column", "what went, beside --credit-column"),
      currency_column: column("currency-column", "the currency"),
      amounts: optional(
        Flag.Literals("amounts", ["decimal", "cents"]),
        "Whether amounts are written as 12.50 or as 1250 (default: decimal)"
      ),
      decimal_mark: optional(Flag.Literals("decimal-mark", [".", ","]), "What stands before the cents (default: .)"),
      is_negated: switchOf("negated", "What came is written below 0"),
      delimiter: Flag.optional(
        Flag.map(
          withDescription(
            Flag.Literals("delimiter", ["comma", "semicolon", "tab", "bar"]),
            "What stands between fields (default: comma)"
          ),
          (name) => delimiters[name]
        )
      ),
      has_heading: Flag.map(switchOf("no-heading", "The first line names no columns"), (none) => !none),
      is_dry_run: switchOf("dry-run", "Say what would come of it, and keep nothing")
    }
  }),
  record: runAgainst(declared.record, {
    parameters: {
      integration_id: integration,
      day: withDescription(Flag.String("day"), "The day on which the bank has it, YYYY-MM-DD"),
      amount_cents: withDescription(
        Flag.Int("amount-cents"),
        "How much came, in minor units of the account's currency"
      ),
      currency: optional(Flag.String("currency"), "The account's currency, to be sure of it"),
      text: withDescription(Flag.String("text"), "What the statement says, with the donor's reference"),
      number: optional(Flag.Int("number"), "Which it is of the lines that are alike (default: 1)")
    }
  }),
  list: runAgainst(declared.list, {
    parameters: {
      integration_id: optional(Flag.String("integration"), "What came to this one"),
      charge_id: optional(Flag.String("charge"), "What pays this charge"),
      reference: optional(Flag.String("reference"), "What named this reference"),
      ...pageFlags
    },
    columns
  }),
  show: runAgainst(declared.read, { parameters: { id: idOf("credit") } })
})
