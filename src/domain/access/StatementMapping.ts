import { Schema, Struct } from "effect"
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

/** The banks whose files are known. */
export const Bank = Schema.Literals([
  "nab",
  "cba",
  "anz",
  "westpac",
  "macquarie",
  "up",
  "ing-au",
  "bendigo",
  "bank-australia"
]).annotate({ identifier: "StatementBank" })
export type Bank = typeof Bank.Type

const column = clearable(Name)

const fields = {
  day_column: column,
  day_format: clearable(DayFormat),
  text_columns: clearable(Schema.Array(Name).check(Schema.isMinLength(1), Schema.isMaxLength(Limits.creditFields))),
  amount_column: column,
  credit_column: column,
  debit_column: column,
  direction_column: column,
  status_column: column,
  currency_column: column,
  id_column: column,
  balance_column: column,
  amounts: clearable(Schema.Literals(["decimal", "cents"])),
  decimal_mark: clearable(Schema.Literals([".", ","])),
  is_negated: clearable(Schema.Boolean),
  delimiter: clearable(Schema.Literals([",", ";", "\t", "|"])),
  has_heading: clearable(Schema.Boolean),
  pass_over: clearable(Schema.Boolean)
}

/** The meanings of the fields of a mapping. */
export const meanings = {
  bank: "The bank whose files are laid out as it lays them out; other fields change that.",
  day_column: "The column of the day, by its heading or its number from 1; `Date` when not given.",
  day_format: "The order in which days are written, with any separator; `YYYY-MM-DD` when not given.",
  text_columns: "The columns of the text; `Description` when not given.",
  amount_column: "The column of the amount, which is below 0 where money went; `Amount` when not given.",
  credit_column: "The column of what came, where that has a column of its own.",
  debit_column: "The column of what went, beside `credit_column`.",
  direction_column: "The column that says which way the money went, beside an amount without a sign.",
  status_column:
    "The column of the status of a line: one that is pending is passed over or refused as pending lines are, and so is one that did not happen.",
  currency_column: "The column of the currency: lines of another one than the account's are refused.",
  id_column: "The column of the bank's own id of a line, by which the line is known wherever it stands.",
  balance_column: "The column of the balance after each line, by which lines of a day are told apart.",
  amounts: "Whether amounts are written as 12.50 or as 1250; `decimal` when not given.",
  decimal_mark: "What stands before the minor units; `.` when not given.",
  is_negated: "Whether what came is written below 0.",
  delimiter: "What stands between fields; a comma when not given.",
  has_heading: "Whether a line names the columns; true when not given.",
  pass_over:
    "Whether what stands before the heading, balances, pending and future lines and others without a day are passed over, and listed."
}

/** Where in the lines of a file what stands, and how it is written. */
export const StatementMapping = Schema.Struct(fields).annotate({ identifier: "StatementMapping", meanings })
export type StatementMapping = typeof StatementMapping.Type

/** A mapping as it is given: by its bank, by its fields, or by both. */
export const NewStatementMapping = Schema.Struct({ bank: clearable(Bank), ...fields }).annotate({
  identifier: "NewStatementMapping",
  meanings
})
export type NewStatementMapping = typeof NewStatementMapping.Type

/** The mapping of an account. */
export const AccountMapping = NewStatementMapping.mapFields((mapping) => ({
  integration_id: GivenId,
  ...mapping
})).annotate({
  identifier: "AccountStatementMapping",
  meanings: { ...meanings, integration_id: "The organisation's account at the bank." }
})
export type AccountMapping = typeof AccountMapping.Type

const names = Struct.keys(fields)

/** What the banks' files look like that an account's owner saves. */
const layouts: { readonly [B in Bank]: StatementMapping } = {
  nab: {
    day_format: "DD-MMM-YYYY",
    text_columns: ["Transaction Details"],
    balance_column: "Balance"
  },
  cba: {
    has_heading: false,
    day_column: "1",
    day_format: "DD/MM/YYYY",
    amount_column: "2",
    text_columns: ["3"],
    balance_column: "4"
  },
  anz: { has_heading: false, day_column: "1", day_format: "DD/MM/YYYY", amount_column: "2", text_columns: ["3"] },
  westpac: {
    day_format: "DD/MM/YYYY",
    text_columns: ["Narrative"],
    credit_column: "Credit Amount",
    debit_column: "Debit Amount",
    balance_column: "Balance"
  },
  macquarie: {
    day_column: "Transaction Date",
    day_format: "DD-MMM-YYYY",
    text_columns: ["Original Description"],
    credit_column: "Credit",
    debit_column: "Debit",
    balance_column: "Balance"
  },
  up: {
    day_column: "Time",
    text_columns: ["Payee", "Description"],
    amount_column: "Total (AUD)"
  },
  "ing-au": {
    day_format: "DD/MM/YYYY",
    credit_column: "Credit",
    debit_column: "Debit",
    balance_column: "Balance"
  },
  // The account, the day, a code, the amount, the kind, the text and the reference.
  bendigo: {
    has_heading: false,
    day_column: "2",
    day_format: "DD/MM/YYYY",
    amount_column: "4",
    text_columns: ["5", "6", "7"]
  },
  "bank-australia": {
    // The effective day is empty in lines of cards; this one never is.
    day_column: "Entered Date",
    day_format: "DD/MM/YYYY",
    text_columns: ["Transaction Description"],
    balance_column: "Balance"
  }
}

const defaults: StatementMapping = {
  day_column: "Date",
  day_format: "YYYY-MM-DD",
  text_columns: ["Description"],
  amounts: "decimal",
  decimal_mark: ".",
  is_negated: false,
  delimiter: ",",
  has_heading: true,
  pass_over: false
}

type Said = { readonly [Field in keyof StatementMapping]?: StatementMapping[Field] | undefined }

const given = (mapping: Said): StatementMapping =>
  Object.fromEntries(names.flatMap((name) => (mapping[name] == null ? [] : [[name, mapping[name]]])))

/**
 * The whole mapping of what is given: over the bank's layout where a bank is named, over the kept mapping where none is.
 * @example
 * StatementMapping.mappingOf({ bank: "westpac" }, null).credit_column // => "Credit Amount"
 * StatementMapping.mappingOf({}, { text_columns: ["Details"] }).text_columns // => ["Details"]
 */
export const mappingOf = ({ bank, ...said }: NewStatementMapping, kept: StatementMapping | null): StatementMapping => {
  const base = bank == null ? (kept ?? {}) : layouts[bank]
  const whole = { ...defaults, ...given(base), ...given(said) }
  // Another way to say amounts takes the place of the one before, but of nothing that is said beside it.
  const { credit_column, debit_column, amount_column, direction_column, ...rest } = whole
  if (said.amount_column != null && said.credit_column == null) {
    return given({ ...rest, amount_column, direction_column, debit_column: said.debit_column })
  }
  if (whole.credit_column == null) return { amount_column: "Amount", ...whole }
  if (said.credit_column != null && said.amount_column == null) {
    return given({ ...rest, credit_column, debit_column, direction_column: said.direction_column })
  }
  return whole
}

/**
 * The field of a mapping that cannot stand beside another, and why; undefined where all can.
 * @example
 * StatementMapping.conflictOf({ credit_column: "In", direction_column: "Way" })?.param // => "direction_column"
 * StatementMapping.conflictOf({ credit_column: "In", debit_column: "Out" }) // => undefined
 */
export const conflictOf = ({ amount_column, credit_column, debit_column, direction_column }: StatementMapping) => {
  if (credit_column == null) {
    const says = "debit_column must stand beside credit_column."
    return debit_column == null ? undefined : { param: "debit_column", says }
  }
  if (amount_column == null && direction_column == null) return
  const param = amount_column == null ? "direction_column" : "amount_column"
  return { param, says: `${param} must not stand beside credit_column: choose one of them.` }
}

/**
 * The names of the fields in which two mappings differ.
 * @example StatementMapping.differenceOf({ day_column: "Date" }, { day_column: "Day" }) // => ["day_column"]
 */
export const differenceOf = (one: StatementMapping, other: StatementMapping): ReadonlyArray<keyof StatementMapping> =>
  names.filter((name) => JSON.stringify(one[name] ?? null) !== JSON.stringify(other[name] ?? null))

/**
 * The first field that is given of a mapping and says where what stands; undefined where none is.
 * @example StatementMapping.givenOf({ pass_over: true, day_column: "Day" }) // => "day_column"
 */
export const givenOf = (mapping: NewStatementMapping): string | undefined =>
  mapping.bank == null ? names.find((name) => name !== "pass_over" && mapping[name] != null) : "bank"
