import { Array as Arr, Result } from "effect"
import type { StatementMapping } from "../access/StatementMapping.ts"
import type { CalendarDate } from "../kernel/CalendarDate.ts"
import { Limits } from "../kernel/Limits.ts"
import { isStorable } from "../kernel/Text.ts"
import { isPending, keptText } from "./Credit.ts"
import { type CsvFault, type CsvRecord, readCsv } from "./Csv.ts"
import { type AmountFormat, centsIn, dayIn, isMoneyIn } from "./StatementFormats.ts"

/** A line of a statement that brought money. */
export interface StatementLine {
  readonly line: number
  readonly day: CalendarDate
  readonly amount_cents: number
  readonly text: string
  /** The bank's own id of it, where the file has one. */
  readonly bank_id: string | null
  /** The balance of the account after it, minor units, where the file has one. */
  readonly balance_cents: number | null
}

/** The content of a file. */
export interface Statement {
  readonly lines: ReadonlyArray<StatementLine>
  /** Lines by which no money came. */
  readonly skipped: number
  /** Those of them by which money went: their amounts are below 0. */
  readonly debits: ReadonlyArray<StatementLine>
  /** The first and the last day of its lines, whichever way the money went; today where it has none. */
  readonly days: { readonly first: CalendarDate; readonly last: CalendarDate }
  /** Lines that are no payments, and were to be passed over. */
  readonly passed: ReadonlyArray<CsvFault>
}

/** A line that cannot be read; an odd one may be passed over. */
export interface LineFault extends CsvFault {
  readonly isOdd?: boolean
}

/** A line, whichever way the money went, or why it is none. */
export type StatementItem = Result.Result<StatementLine, LineFault>

/** Reads a file piece by piece. */
export interface StatementReader {
  readonly write: (piece: string) => ReadonlyArray<StatementItem>
  readonly end: () => ReadonlyArray<StatementItem>
}

/** A fault of a file; `line` is 0 for a fault of the whole. */
export interface ImportFault {
  /** The field of the input that is wrong. */
  readonly param: string
  readonly faults: ReadonlyArray<LineFault>
}

/** How many digits the minor units of a currency have. */
export const minorDigitsOf = (currency: string): number => (currency === "JPY" ? 0 : 2)

/** The account that the statement is of, and its day now. */
export interface StatementOf {
  readonly currency: string
  readonly timezone: string
  readonly today: CalendarDate
}

/** Where in a line what stands: indexes from 0. */
interface Columns {
  readonly day: number
  readonly texts: ReadonlyArray<number>
  /** One column with a sign or beside one that says the way, or two without. */
  readonly amount: number | null
  readonly credit: number | null
  readonly debit: number | null
  readonly direction: number | null
  readonly currency: number | null
  readonly id: number | null
  readonly balance: number | null
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

const columnsOf = (mapping: StatementMapping, heading: ReadonlyArray<string> | null): Read<Columns> => {
  const { amount_column, credit_column, debit_column, direction_column } = mapping
  const isSplit = typeof credit_column === "string"
  if (typeof debit_column === "string" && !isSplit) {
    return wrong("debit_column", "debit_column must stand beside credit_column.")
  }
  if (isSplit && (typeof amount_column === "string" || typeof direction_column === "string")) {
    const param = typeof amount_column === "string" ? "amount_column" : "direction_column"
    return wrong(param, `${param} must not stand beside credit_column: choose one of them.`)
  }
  const one = (param: keyof StatementMapping & `${string}_column`) => optionalColumn(param, mapping[param], heading)
  return Result.all({
    day: columnOf("day_column", mapping.day_column ?? "Date", heading),
    texts: Result.all((mapping.text_columns ?? ["Description"]).map((each) => columnOf("text_columns", each, heading))),
    amount: isSplit ? Result.succeed(null) : columnOf("amount_column", amount_column ?? "Amount", heading),
    credit: one("credit_column"),
    debit: one("debit_column"),
    direction: one("direction_column"),
    currency: one("currency_column"),
    id: one("id_column"),
    balance: one("balance_column")
  })
}

/** What is read of the lines of a file, and how. */
interface Reading extends StatementOf {
  readonly mapping: StatementMapping
  readonly columns: Columns
  readonly format: AmountFormat
}

const cellOf =
  ({ fields }: CsvRecord) =>
  (index: number | null): string =>
    index === null ? "" : (fields[index] ?? "").trim()

/** The amount of a line, minor units, below 0 where money went; none where a field says no amount. */
const movedBy = (record: CsvRecord, { columns, format }: Reading): number | null => {
  const at = cellOf(record)
  if (columns.direction !== null) {
    const [amount, isIn] = [centsIn(at(columns.amount), format), isMoneyIn(at(columns.direction))]
    if (amount === null || isIn === null) return null
    return isIn ? (amount < 0 ? null : amount) : -Math.abs(amount)
  }
  if (columns.amount !== null) return centsIn(at(columns.amount), format)
  const moved = (text: string): number | null => (text === "" ? 0 : centsIn(text, format))
  const [came, went] = [moved(at(columns.credit)), moved(at(columns.debit))]
  if (came === null || went === null) return null
  // A column of debits has them with a sign or without.
  return came !== 0 && went !== 0 ? null : came !== 0 ? came : -Math.abs(went)
}

/** A line without its number, or why it is none. */
export type LineRead = Result.Result<Omit<StatementLine, "line">, Omit<LineFault, "line">>

/** It is no payment, and may be passed over. */
export const odd = (says: string): LineRead => Result.fail({ says, isOdd: true })
/** It is a payment that cannot be read. */
export const bad = (says: string): LineRead => Result.fail({ says })

/** Why an amount is none, in one currency whatever the file. */
export const otherCurrency = (currency: string): LineRead => bad(`is not in ${currency}, in which the account is`)

const balances =
  /^(?:(?:opening|closing|current|available|ledger|statement|total) )*balance(?: (?:brought|carried) forward| [bc]\/?f(?:wd)?)?$|^(?:brought|carried) forward$/u

/** What a line is that is no payment; undefined where it is one. */
export const oddityOf = (day: CalendarDate, text: string, today: CalendarDate): string | undefined => {
  if (isPending(text)) return "is pending: the bank may change it yet"
  if (day > today) return `has a day in the future, ${day}`
  if (balances.test(text.toLowerCase().replace(/\W{1,3}$/u, ""))) return "is a balance and no payment"
  return undefined
}

/** A line that can be kept, or why it cannot be. */
export const keptLine = (line: Omit<StatementLine, "line">): LineRead => {
  const { bank_id, text } = line
  if (Array.from(text).length > Limits.creditTextCharacters) {
    return bad(`has a text of more than ${Limits.creditTextCharacters} characters`)
  }
  if ((bank_id ?? "").length > Limits.creditIdCharacters) {
    return bad(`has an id of more than ${Limits.creditIdCharacters} characters`)
  }
  return isStorable(text) && isStorable(bank_id ?? "")
    ? Result.succeed(line)
    : bad("has a text that cannot be kept: it has U+0000 or half a character")
}

const lineOf = (record: CsvRecord, reading: Reading): LineRead => {
  const { columns, currency, format, mapping, timezone, today } = reading
  const at = cellOf(record)
  const dayFormat = mapping.day_format ?? "YYYY-MM-DD"
  const day = dayIn(at(columns.day), dayFormat, timezone)
  const moved = movedBy(record, reading)
  if (day === null) {
    const says = `has no day in column ${columns.day + 1} that is written ${dayFormat}`
    return /^\d/u.test(at(columns.day)) && moved !== null && moved !== 0 ? bad(says) : odd(says)
  }
  const text = keptText(columns.texts.map(at).join(" "))
  const oddity = oddityOf(day, text, today)
  if (oddity !== undefined) return odd(oddity)
  if (columns.amount !== null && at(columns.amount) === "") return odd("has no amount")
  if (moved === null)
    return bad(`has no amount of ${currency} in column ${1 + (columns.amount ?? columns.credit ?? 0)}`)
  if (columns.currency !== null && at(columns.currency).toUpperCase() !== currency) return otherCurrency(currency)
  const bank_id = columns.id === null ? null : at(columns.id)
  if (bank_id === "") return bad(`has no id in column ${1 + (columns.id ?? 0)}`)
  const balance_cents = columns.balance === null ? null : centsIn(at(columns.balance), format)
  return keptLine({ day, amount_cents: mapping.is_negated === true ? -moved : moved, text, bank_id, balance_cents })
}

/** Ids that stand on two lines: one of them would be taken for the other. */
const repeatedIds = (lines: ReadonlyArray<StatementLine>): ReadonlyArray<LineFault> => {
  const seen = new Map<string, number>()
  return lines.flatMap(({ bank_id, line }) => {
    const before = bank_id === null ? undefined : seen.get(bank_id)
    if (bank_id !== null && before === undefined) seen.set(bank_id, line)
    return before === undefined ? [] : [{ line, says: `has the id of line ${before}` }]
  })
}

/**
 * The statement that items are: all of its lines, or what is wrong about every one that cannot be read. Nothing goes in where
 * one line is bad: whoever mends it imports the whole again.
 */
export const statementFrom = (
  items: ReadonlyArray<StatementItem>,
  isPassingOver: boolean,
  today: CalendarDate
): Read<Statement> => {
  const [all, faults] = Arr.separate(items)
  const days = all.map(({ day }) => day).toSorted()
  const lines = all.filter(({ amount_cents }) => amount_cents > 0)
  const [odd, others] = [faults.filter(({ isOdd }) => isOdd), faults.filter(({ isOdd }) => !isOdd)]
  const refused = [...(isPassingOver ? others : faults), ...repeatedIds(lines)]
  return refused.length > 0
    ? Result.fail({ param: "content", faults: refused })
    : Result.succeed({
        lines,
        skipped: all.length - lines.length,
        debits: all.filter(({ amount_cents }) => amount_cents < 0),
        days: { first: days[0] ?? today, last: days.at(-1) ?? today },
        passed: odd.map(({ line, says }) => ({ line, says }))
      })
}

/** A line of a file as an item of it. */
export const itemAt = (line: number, read: LineRead): StatementItem =>
  Result.mapBoth(read, {
    onFailure: (fault) => ({ line, ...fault }),
    onSuccess: (found) => ({ line, ...found })
  })

/** How far into a file its heading may stand. */
const preamble = 30

/** Where the heading stands that has the columns: in the first line, where none has. */
const headingAt = (records: ReadonlyArray<CsvRecord>, mapping: StatementMapping): number =>
  Math.max(
    0,
    records.slice(0, preamble).findIndex(({ fields }) => Result.isSuccess(columnsOf(mapping, fields)))
  )

/**
 * The content of a bank statement's file of values with a delimiter between them.
 *
 * @example
 * ```ts
 * const content = "Date,Amount,Description\n2026-07-01,50.00,GIFT  KIM\n2026-07-01,-3.00,FEE"
 * const account = { currency: "AUD", timezone: "UTC", today: CalendarDate.CalendarDate.make("2026-07-01") }
 * const days = { first: account.today, last: account.today }
 * const line = { day: account.today, amount_cents: 50_00, text: "GIFT KIM", bank_id: null, balance_cents: null }
 * const debits = [{ line: 3, ...line, amount_cents: -3_00, text: "FEE" }]
 * Statement.statementOf(content, {}, account)
 * // => Result.succeed({ lines: [{ line: 2, ...line }], skipped: 1, debits, days, passed: [] })
 * const more = `${content}\n2026-07-02,1.00,GIFT`
 * Result.isFailure(Statement.statementOf(more, {}, account)) // => true
 * Statement.statementOf(more, { pass_over: true }, account)
 * // => Result.succeed({ lines: [{ line: 2, ...line }], skipped: 1, debits, days, passed: [{ line: 4, says: "has a day in the future, 2026-07-02" }] })
 * ```
 */
export const statementOf = (content: string, mapping: StatementMapping, of: StatementOf): Read<Statement> => {
  const bounds = { records: Limits.creditLines + 1, fields: Limits.creditFields }
  const read = readCsv(content, mapping.delimiter ?? ",", bounds)
  if (Result.isFailure(read)) return Result.fail({ param: "content", faults: [read.failure] })
  const all = read.success
  const hasHeading = mapping.has_heading !== false
  const start = hasHeading ? headingAt(all, mapping) : 0
  const [first, heading] = [all[start], hasHeading ? (all[start]?.fields ?? null) : null]
  if (first === undefined) return wrong("content", "content must have at least one line.")
  const records = hasHeading ? all.slice(start + 1) : all
  if (records.length > Limits.creditLines) {
    return wrong("content", `content must have at most ${Limits.creditLines} lines: import it in parts.`)
  }
  const before = all.slice(0, start).map(({ line }) => itemAt(line, odd("stands before the heading")))
  const minorDigits = mapping.amounts === "cents" ? 0 : minorDigitsOf(of.currency)
  const format = { decimalMark: mapping.decimal_mark ?? ".", minorDigits, currency: of.currency }
  return Result.flatMap(columnsOf(mapping, heading), (columns) => {
    const reading = { ...of, mapping, columns, format }
    const items = records.map((record) => itemAt(record.line, lineOf(record, reading)))
    return statementFrom([...before, ...items], mapping.pass_over === true, of.today)
  })
}

/**
 * The faults of a file, in words. Nothing of its lines is repeated: they tell who gave what.
 *
 * @example
 * ```ts
 * Statement.faultText({ param: "content", faults: [{ line: 4, says: "has no amount of AUD in column 2" }] })
 * // => "Line 4 has no amount of AUD in column 2. Nothing was imported."
 * ```
 */
export const faultText = ({ faults }: ImportFault): string => {
  const named = faults
    .slice(0, Limits.creditFaults)
    .map(({ line, says }) => (line === 0 ? says : `Line ${line} ${says}.`))
  const others = faults.length - named.length
  return [
    ...named,
    ...(others > 0 ? [`So are ${others} more lines bad.`] : []),
    "Nothing was imported.",
    ...(faults.some(({ isOdd }) => isOdd)
      ? ["With pass_over, lines that are no payments are passed over and listed."]
      : [])
  ].join(" ")
}
