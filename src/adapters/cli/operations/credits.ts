import { Argument, Flag } from "effect/cli"
import { creditOperations as declared } from "../../../app/payments/Credits.ts"
import { Bank, DayFormat } from "../../../domain/access/StatementMapping.ts"
import { StatementFormat } from "../../../domain/payments/StatementKind.ts"
import { commandsOf, runAgainst } from "../Operation.ts"
import { overFile } from "../StatementFile.ts"
import {
  idOf,
  optional,
  optionalText,
  pageFlags,
  switchOf,
  text,
  valuesOf,
  wholeNumber,
  withDescription
} from "./Parameters.ts"

const integration = text("integration", "The account that the money came to, by its integration's id")

const column = (flag: string, what: string) =>
  optionalText(flag, `The column of ${what}, by its heading or its number from 1`)

const columns = [
  "id",
  "day",
  "amount_cents",
  "currency",
  "text",
  "reference",
  "number",
  "charge_id",
  "import_id",
  "voided_at",
  "integration_id",
  "created_at"
]

const delimiters = { comma: ",", semicolon: ";", tab: "\t", bar: "|" } as const

/** A flag that says one thing where it is given, and nothing where it is not. */
const saying = (name: string, description: string, value: boolean) =>
  Flag.optional(Flag.map(withDescription(Flag.Boolean(name), description), (given) => given === value))

const mappingFlags = {
  bank: optional(Flag.Literals("bank", Bank.literals), "The bank, whose files have the layout that it gives them"),
  day_column: column("day-column", "the day (default: Date)"),
  day_format: optional(
    Flag.Literals("day-format", DayFormat.literals),
    "The order in which days are written, with any separator (default: YYYY-MM-DD)"
  ),
  text_columns: Flag.optional(
    valuesOf("text-columns", "The columns of the text, comma-separated (default: Description)")
  ),
  amount_column: column("amount-column", "the amount, below 0 where money went (default: Amount)"),
  credit_column: column("credit-column", "what came, where that has one of its own"),
  debit_column: column("debit-column", "what went, beside --credit-column"),
  direction_column: column("direction-column", "which way the money went, beside an amount without a sign"),
  status_column: column("status-column", "a line's status, by which pending ones are told"),
  currency_column: column("currency-column", "the currency"),
  id_column: column("id-column", "the bank's own id of a line"),
  balance_column: column("balance-column", "the balance after each line"),
  amounts: optional(
    Flag.Literals("amounts", ["decimal", "cents"]),
    "Whether amounts are written as 12.50 or as 1250 (default: decimal)"
  ),
  decimal_mark: optional(Flag.Literals("decimal-mark", [".", ","]), "What stands before the cents (default: .)"),
  is_negated: saying("negated", "What came is written below 0", true),
  delimiter: Flag.optional(
    Flag.map(
      withDescription(
        Flag.Literals("delimiter", ["comma", "semicolon", "tab", "bar"]),
        "What stands between fields (default: comma)"
      ),
      (name) => delimiters[name]
    )
  ),
  has_heading: saying("no-heading", "No line names the columns", false),
  pass_over: saying(
    "pass-over",
    "Pass over what stands before the heading, balances, pending and future lines and others without a day, and list it",
    true
  )
}

export const creditMappingCommands = commandsOf("credit mapping", {
  set: runAgainst(declared.setMapping, { parameters: { integration_id: integration, ...mappingFlags } }),
  show: runAgainst(declared.readMapping, { parameters: { integration_id: integration } })
})

export const creditCommands = commandsOf("credit", {
  import: overFile(
    "content",
    runAgainst(declared.import, {
      files: ["content"],
      parameters: {
        content: Argument.withDescription(
          Argument.String("file"),
          "A statement as CSV, CAMT.053 or OFX, in UTF-8, UTF-16 or Latin-1; - for standard input, which is held whole"
        ),
        integration_id: integration,
        format: optional(
          Flag.Literals("format", StatementFormat.literals),
          "The form of the file (default: as it begins)"
        ),
        ...mappingFlags,
        anyway: switchOf(
          "anyway",
          "Import what is refused otherwise: days of which other lines are recorded, and a mapping that is not the account's"
        ),
        is_further: switchOf(
          "further",
          "The file goes on amid a day that is recorded in part: its lines are further ones, also where they are alike"
        ),
        is_dry_run: switchOf("dry-run", "Say what would come of it, and keep nothing")
      }
    })
  ),
  record: runAgainst(declared.record, {
    parameters: {
      integration_id: integration,
      day: text("day", "The day on which the bank has it, YYYY-MM-DD"),
      amount_cents: withDescription(
        wholeNumber("amount-cents"),
        "How much came, in minor units of the account's currency"
      ),
      currency: optionalText("currency", "The account's currency, to be sure of it"),
      text: text("text", "What the statement says, with the donor's reference"),
      number: optional(wholeNumber("number"), "Which it is of the lines of its day and amount (default: 1)")
    }
  }),
  list: runAgainst(declared.list, {
    parameters: {
      integration_id: optionalText("integration", "What came to this one"),
      charge_id: optionalText("charge", "What pays this charge"),
      reference: optionalText("reference", "What named this reference"),
      import_id: optionalText("import", "What came with this file, by the id of its import"),
      ...pageFlags
    },
    columns
  }),
  void: runAgainst(declared.void, {
    parameters: { id: idOf("credit"), note: text("note", "Why it never came") }
  }),
  undo: runAgainst(declared.undo, {
    parameters: {
      import_id: Argument.withDescription(Argument.String("import"), "The id of the import"),
      note: text("note", "Why its payments never came"),
      is_dry_run: switchOf("dry-run", "Say what would be voided, and keep nothing")
    }
  }),
  show: runAgainst(declared.read)
})
