import { Result } from "effect"
import type { CalendarDate } from "../kernel/CalendarDate.ts"
import { Limits } from "../kernel/Limits.ts"
import { isStorable } from "../kernel/Text.ts"
import { keptText } from "./Credit.ts"
import type { CreditImport } from "./CreditImport.ts"
import { type CsvFault, type CsvRecord, readCsv } from "./Csv.ts"
import { type AmountFormat, centsIn, dayIn } from "./StatementFormats.ts"

/** A line of a statement that brought money. */
export interface StatementLine {
  readonly line: number
  readonly day: CalendarDate
  readonly amount_cents: number
  readonly text: string
}

/** The content of a file. */
export interface Statement {
  readonly lines: ReadonlyArray<StatementLine>
  /** Lines by which no money came. */
  readonly skipped: number
}

/** A fault of a file; `line` is 0 for a fault of the whole. */
export interface ImportFault {
  /** The field of the input that is wrong. */
  readonly param: string
  readonly faults: ReadonlyArray<CsvFault>
}

/** The account that the statement is of, and its day now. */
export interface StatementOf {
  readonly currency: string
  readonly today: CalendarDate
}

/** Where in a line what stands: indexes from 0. */
interface Columns {
  readonly day: number
  readonly texts: ReadonlyArray<number>
  /** One column with a sign, or two without. */
  readonly amount: number | null
  readonly credit: number | null
  readonly debit: number | null
  readonly currency: number | null
}

type Read<A> = Result.Result<A, ImportFault>

const wrong = (param: string, message: string): Result.Result<never, ImportFault> =>
  Result.fail({ param, faults: [{ line: 0, says: message }] })

/** The index of a column that is given by its number from 1, or by its heading. */
const columnOf = (param: string, named: string, heading: ReadonlyArray<string> | null): Read<number> => {
  const name = named.trim()
  const wanted = name.toLowerCase()
  const places = (heading ?? []).flatMap((each, index) => (each.trim().toLowerCase() === wanted ? [index] : []))
  if (places.length > 1)
    return wrong(param, `${param} must name one column: several are called ${name}. Give its number.`)
  if (places[0] !== undefined) return Result.succeed(places[0])
  if (/^[1-9]\d{0,2}$/u.test(name)) return Result.succeed(Number(name) - 1)
  return wrong(
    param,
    heading === null
      ? `${param} must be the number of a column, from 1, because the file has no heading.`
      : `${param} must be the number of a column, from 1, or the heading of one: there is no ${name}.`
  )
}

const optionalColumn = (
  param: string,
  named: string | null | undefined,
  heading: ReadonlyArray<string> | null
): Read<number | null> => (typeof named === "string" ? columnOf(param, named, heading) : Result.succeed(null))

const columnsOf = (input: CreditImport, heading: ReadonlyArray<string> | null): Read<Columns> => {
  const { amount_column, credit_column, debit_column } = input
  const isSplit = typeof credit_column === "string"
  if (typeof debit_column === "string" && !isSplit) {
    return wrong("debit_column", "debit_column must stand beside credit_column.")
  }
  if (isSplit && typeof amount_column === "string") {
    return wrong("amount_column", "amount_column must not stand beside credit_column: choose one of them.")
  }
  return Result.all({
    day: columnOf("day_column", input.day_column ?? "Date", heading),
    texts: Result.all((input.text_columns ?? ["Description"]).map((each) => columnOf("text_columns", each, heading))),
    amount: isSplit ? Result.succeed(null) : columnOf("amount_column", amount_column ?? "Amount", heading),
    credit: optionalColumn("credit_column", credit_column, heading),
    debit: optionalColumn("debit_column", debit_column, heading),
    currency: optionalColumn("currency_column", input.currency_column, heading)
  })
}

const minorDigitsOf = (input: CreditImport, currency: string): number =>
  input.amounts === "cents" || currency === "JPY" ? 0 : 2

type LineRead = Result.Result<StatementLine | null, string>

/** The amount of a line, minor units, below 0 where money went; none where a field says no amount. */
const movedBy = (fields: ReadonlyArray<string>, columns: Columns, format: AmountFormat): number | null => {
  const at = (index: number | null): string => (index === null ? "" : (fields[index] ?? "").trim())
  if (columns.amount !== null) return centsIn(at(columns.amount), format)
  const moved = (text: string): number | null => (text === "" ? 0 : centsIn(text, format))
  const [came, went] = [moved(at(columns.credit)), moved(at(columns.debit))]
  if (came === null || went === null) return null
  // A column of debits has them with a sign or without.
  return came !== 0 && went !== 0 ? null : came !== 0 ? came : -Math.abs(went)
}

const lineOf = (
  { fields, line }: CsvRecord,
  columns: Columns,
  input: CreditImport,
  { currency, today }: StatementOf
): LineRead => {
  const at = (index: number): string => fields[index] ?? ""
  const format = input.day_format ?? "YYYY-MM-DD"
  const day = dayIn(at(columns.day), format)
  if (day === null) return Result.fail(`has no day in column ${columns.day + 1} that is written ${format}`)
  if (day > today) return Result.fail(`has a day in the future, ${day}`)
  const decimalMark = input.decimal_mark ?? "."
  const moved = movedBy(fields, columns, { decimalMark, minorDigits: minorDigitsOf(input, currency) })
  if (moved === null)
    return Result.fail(`has no amount of ${currency} in column ${1 + (columns.amount ?? columns.credit ?? 0)}`)
  if (columns.currency !== null && at(columns.currency).trim().toUpperCase() !== currency) {
    return Result.fail(`is not in ${currency}, in which the account is`)
  }
  const text = keptText(columns.texts.map(at).join(" "))
  if (Array.from(text).length > Limits.creditTextCharacters) {
    return Result.fail(`has a text of more than ${Limits.creditTextCharacters} characters`)
  }
  if (!isStorable(text)) return Result.fail("has a text that cannot be kept: it has U+0000 or half a character")
  const amount_cents = input.is_negated === true ? -moved : moved
  return Result.succeed(amount_cents > 0 ? { line, day, amount_cents, text } : null)
}

const linesOf = (
  records: ReadonlyArray<CsvRecord>,
  columns: Columns,
  input: CreditImport,
  of: StatementOf
): Read<Statement> => {
  const lines: Array<StatementLine> = []
  const faults: Array<CsvFault> = []
  for (const record of records) {
    const read = lineOf(record, columns, input, of)
    if (Result.isFailure(read)) faults.push({ line: record.line, says: read.failure })
    else if (read.success !== null) lines.push(read.success)
  }
  return faults.length > 0
    ? Result.fail({ param: "content", faults })
    : Result.succeed({ lines, skipped: records.length - lines.length })
}

/**
 * The content of a bank statement's file: all of its lines, or what is wrong about every one that cannot be read. Nothing goes in
 * where one line is bad: whoever mends it imports the whole again.
 *
 * @example
 * ```ts
 * const content = "Date,Amount,Description\n2026-07-01,50.00,GIFT  KIM\n2026-07-01,-3.00,FEE"
 * const account = { currency: "AUD", today: CalendarDate.CalendarDate.make("2026-07-01") }
 * Statement.statementOf({ integration_id, content }, account)
 * // => Result.succeed({ lines: [{ line: 2, day: account.today, amount_cents: 50_00, text: "GIFT KIM" }], skipped: 1 })
 * Statement.statementOf({ integration_id, content: `${content}\n2026-07-02,1.00,GIFT` }, account)
 * // => Result.fail({ param: "content", faults: [{ line: 4, says: "has a day in the future, 2026-07-02" }] })
 * ```
 */
export const statementOf = (input: CreditImport, of: StatementOf): Read<Statement> => {
  const bounds = { records: Limits.creditLines + 1, fields: Limits.creditFields }
  const read = readCsv(input.content, input.delimiter ?? ",", bounds)
  if (Result.isFailure(read)) return Result.fail({ param: "content", faults: [read.failure] })
  const [first, ...rest] = read.success
  if (first === undefined) return wrong("content", "content must have at least one line.")
  const [heading, records] = input.has_heading === false ? [null, read.success] : [first.fields, rest]
  if (records.length > Limits.creditLines) {
    return wrong("content", `content must have at most ${Limits.creditLines} lines: import it in parts.`)
  }
  return Result.flatMap(columnsOf(input, heading), (columns) => linesOf(records, columns, input, of))
}

/**
 * The faults of a file, in words. Nothing of its lines is repeated: they tell who gave what.
 *
 * @example
 * ```ts
 * Statement.faultText({ param: "content", faults: [{ line: 4, says: "has a day in the future, 2026-07-02" }] })
 * // => "Line 4 has a day in the future, 2026-07-02. Nothing was imported."
 * ```
 */
export const faultText = ({ faults }: ImportFault): string => {
  const named = faults
    .slice(0, Limits.creditFaults)
    .map(({ line, says }) => (line === 0 ? says : `Line ${line} ${says}.`))
  const others = faults.length - named.length
  return [...named, ...(others > 0 ? [`So are ${others} more lines bad.`] : []), "Nothing was imported."].join(" ")
}
