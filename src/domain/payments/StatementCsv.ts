import { Result } from "effect"
import { conflictOf, type StatementMapping } from "../access/StatementMapping.ts"
import { Limits } from "../kernel/Limits.ts"
import { keptText } from "./Credit.ts"
import { type CsvRecord, makeCsvReader } from "./Csv.ts"
import {
  bad,
  dayOddityOf,
  itemAt,
  keptLine,
  type LineFault,
  type LineRead,
  minorDigitsOf,
  odd,
  otherCurrency,
  type StatementItem,
  type StatementOf,
  type StatementReader,
  statusOddityOf,
  wordsOddityOf
} from "./Statement.ts"
import { type AmountFormat, centsIn, dayIn, isMoneyIn } from "./StatementFormats.ts"

/** Where in a line what stands: indexes from 0. */
interface Columns {
  readonly day: number
  readonly texts: ReadonlyArray<number>
  /** One column with a sign or beside one that says the way; where what went has its own, that of what came. */
  readonly amount: number
  readonly isSplit: boolean
  readonly debit: number | null
  readonly direction: number | null
  readonly status: number | null
  readonly currency: number | null
  readonly id: number | null
  readonly balance: number | null
}

type Read<A> = Result.Result<A, LineFault>

const wrong = (param: string, says: string): Read<never> => Result.fail({ line: 0, param, says })

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
  const conflict = conflictOf(mapping)
  if (conflict !== undefined) return wrong(conflict.param, conflict.says)
  const { amount_column, credit_column } = mapping
  const isSplit = typeof credit_column === "string"
  const one = (param: keyof StatementMapping & `${string}_column`) => optionalColumn(param, mapping[param], heading)
  return Result.all({
    day: columnOf("day_column", mapping.day_column ?? "Date", heading),
    texts: Result.all((mapping.text_columns ?? ["Description"]).map((each) => columnOf("text_columns", each, heading))),
    amount: isSplit
      ? columnOf("credit_column", credit_column, heading)
      : columnOf("amount_column", amount_column ?? "Amount", heading),
    isSplit: Result.succeed(isSplit),
    debit: one("debit_column"),
    direction: one("direction_column"),
    status: one("status_column"),
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
  if (!columns.isSplit) return centsIn(at(columns.amount), format)
  const moved = (text: string): number | null => (text === "" ? 0 : centsIn(text, format))
  const [came, went] = [moved(at(columns.amount)), moved(at(columns.debit))]
  if (came === null || went === null) return null
  // A column of debits has them with a sign or without.
  return came !== 0 && went !== 0 ? null : came !== 0 ? came : -Math.abs(went)
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
  const status = at(columns.status)
  const isLeftEmpty = [columns.balance, columns.direction].some((column) => column !== null && at(column) === "")
  const said = status === "" && isLeftEmpty ? wordsOddityOf(text) : statusOddityOf(status)
  const oddity = said ?? dayOddityOf(day, today)
  if (oddity !== undefined) return odd(oddity)
  if (!columns.isSplit && at(columns.amount) === "") return odd("has no amount")
  if (moved === null) return bad(`has no amount of ${currency} in column ${columns.amount + 1}`)
  if (columns.currency !== null && at(columns.currency).toUpperCase() !== currency) return otherCurrency(currency)
  if (columns.id !== null && at(columns.id) === "") return bad(`has no id in column ${columns.id + 1}`)
  const bank_id = columns.id === null ? null : at(columns.id)
  const balance_cents = columns.balance === null ? null : centsIn(at(columns.balance), format)
  return keptLine({ day, amount_cents: mapping.is_negated === true ? -moved : moved, text, bank_id, balance_cents })
}

/** How far into a file its heading may stand. */
const preamble = 30

/**
 * Reads a statement's file of values with a delimiter between them. Its heading is the first line that has the columns; the first
 * of all, where none of the beginning has.
 * @example
 * const account = { currency: "AUD", timezone: "UTC", today: CalendarDate.CalendarDate.make("2026-07-01") }
 * const reader = StatementCsv.csvReader({}, account)
 * const line = { line: 2, day: account.today, amount_cents: 50_00, text: "GIFT KIM", bank_id: null, balance_cents: null }
 * reader.write("Date,Amount,Description\n2026-07-01,50.00,GIFT  KIM\n2026-07-02,") // => [Result.succeed(line)]
 * reader.write("1.00,GIFT") // => []
 * reader.end() // => [Result.fail({ line: 3, says: "has a day in the future, 2026-07-02", isOdd: true })]
 */
export const csvReader = (mapping: StatementMapping, of: StatementOf): StatementReader => {
  const bounds = { fields: Limits.creditFields, characters: Limits.creditRecordCharacters }
  const read = makeCsvReader(mapping.delimiter ?? ",", bounds)
  const minorDigits = mapping.amounts === "cents" ? 0 : minorDigitsOf(of.currency)
  const format = { decimalMark: mapping.decimal_mark ?? ".", minorDigits, currency: of.currency }
  const hasHeading = mapping.has_heading !== false
  let before: ReadonlyArray<CsvRecord> = []
  let columns: Columns | null = null
  let isOver = false

  const begin = (found: Columns): void => {
    columns = found
  }
  const itemsOf = (record: CsvRecord): ReadonlyArray<StatementItem> => {
    if (columns !== null) return [itemAt(record.line, lineOf(record, { ...of, mapping, columns, format }))]
    const found = columnsOf(mapping, hasHeading ? record.fields : null)
    if (Result.isFailure(found)) {
      before = [...before, record]
      return before.length < preamble ? [] : unread()
    }
    begin(found.success)
    const passed = before.map(({ line }) => itemAt(line, odd("stands before the heading")))
    return hasHeading ? passed : [...passed, ...itemsOf(record)]
  }
  /** The items where no line of the beginning has the columns. */
  const unread = (): ReadonlyArray<StatementItem> => {
    isOver = true
    const [first] = before
    if (first === undefined) return [wrong("content", "content must have at least one line.")]
    const found = columnsOf(mapping, hasHeading ? first.fields : null)
    return Result.isFailure(found) ? [Result.fail(found.failure)] : []
  }
  const take = (piece: string, isLast: boolean): ReadonlyArray<StatementItem> => {
    if (isOver) return []
    const records = read(piece, isLast)
    if (Result.isSuccess(records)) {
      const items = records.success.flatMap((record) => (isOver ? [] : itemsOf(record)))
      return isLast && columns === null && !isOver ? [...items, ...unread()] : items
    }
    isOver = true
    return [Result.fail(records.failure)]
  }
  return { write: (piece) => take(piece, false), end: () => take("", true) }
}
