import { Result } from "effect"
import type { CalendarDate } from "../kernel/CalendarDate.ts"
import { Limits } from "../kernel/Limits.ts"
import { isStorable } from "../kernel/Text.ts"
import { isPending } from "./Credit.ts"
import type { CsvFault } from "./Csv.ts"

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

/** Lines of a file that came or went. */
export interface StatementLines {
  readonly lines: ReadonlyArray<StatementLine>
  /** Lines by which no money came. */
  readonly skipped: number
  /** Those of them by which money went: their amounts are below 0. */
  readonly debits: ReadonlyArray<StatementLine>
}

/** A line that cannot be read; an odd one may be passed over, and a field of the input may be what is wrong. */
export interface LineFault extends CsvFault {
  readonly isOdd?: boolean
  readonly param?: string
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
  /** How many there are, where not all are here. */
  readonly count?: number
}

/** How many digits the minor units of a currency have. */
export const minorDigitsOf = (currency: string): number => (currency === "JPY" ? 0 : 2)

/** The account that the statement is of, and its day now. */
export interface StatementOf {
  readonly currency: string
  readonly timezone: string
  readonly today: CalendarDate
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

const isPendingStatus = "is pending: the bank may change it yet"
const pendingStatus = /^(?:pending|authori[sz]ed|uncleared|unposted|on hold|processing|in progress|scheduled)$/iu
const endedStatus = /^(?:declined|failed|cancell?ed|rejected|reverted|voided|void)$/iu

/**
 * What a line is by its status, where the bank writes one, that is no payment; undefined where it is one, or says nothing known.
 * @example Statement.statusOddityOf("Declined") // => "did not happen: its status is Declined"
 */
export const statusOddityOf = (status: string): string | undefined => {
  if (pendingStatus.test(status)) return isPendingStatus
  return endedStatus.test(status) ? `did not happen: its status is ${status}` : undefined
}

/** Why a day is none of a payment; undefined where it may be one. */
export const dayOddityOf = (day: CalendarDate, today: CalendarDate): string | undefined =>
  day > today ? `has a day in the future, ${day}` : undefined

/**
 * What a line is by its words that is no payment; undefined where they say nothing of that. Whoever paid writes words, too: they
 * count only where the bank has left a field empty that every payment has.
 */
export const wordsOddityOf = (text: string): string | undefined => {
  if (isPending(text)) return isPendingStatus
  return balances.test(text.toLowerCase().replace(/\W{1,3}$/u, "")) ? "is a balance and no payment" : undefined
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

/** Ids that stand on two lines: one of them would be taken for the other. */
const repeatedIds = (lines: ReadonlyArray<StatementLine>): ReadonlyArray<LineFault> => {
  const seen = new Map<string, number>()
  return lines.flatMap(({ bank_id, line }) => {
    const before = bank_id === null ? undefined : seen.get(bank_id)
    if (bank_id !== null && before === undefined) seen.set(bank_id, line)
    return before === undefined ? [] : [{ line, says: `has the id of line ${before}` }]
  })
}

/** Lines by whether money came; what is wrong about them where two have one id. */
export const sortLines = (all: ReadonlyArray<StatementLine>): Result.Result<StatementLines, ImportFault> => {
  const lines = all.filter(({ amount_cents }) => amount_cents > 0)
  const faults = repeatedIds(lines)
  return faults.length > 0
    ? Result.fail({ param: "content", faults })
    : Result.succeed({
        lines,
        skipped: all.length - lines.length,
        debits: all.filter(({ amount_cents }) => amount_cents < 0)
      })
}

/** A line of a file as an item of it. */
export const itemAt = (line: number, read: LineRead): StatementItem =>
  Result.mapBoth(read, {
    onFailure: (fault) => ({ line, ...fault }),
    onSuccess: (found) => ({ line, ...found })
  })

/**
 * The faults of a file, in words. Nothing of its lines is repeated: they tell who gave what.
 * @example
 * Statement.faultText({ param: "content", faults: [{ line: 4, says: "has no amount of AUD in column 2" }] })
 * // => "Line 4 has no amount of AUD in column 2. Nothing was imported."
 */
export const faultText = ({ count, faults }: ImportFault): string => {
  const named = faults
    .slice(0, Limits.creditFaults)
    .map(({ line, says }) => (line === 0 ? says : `Line ${line} ${says}.`))
  const others = (count ?? faults.length) - named.length
  return [
    ...named,
    ...(others > 0 ? [`So are ${others} more lines bad.`] : []),
    "Nothing was imported.",
    ...(faults.some(({ isOdd }) => isOdd)
      ? ["With pass_over, lines that are no payments are passed over and listed."]
      : [])
  ].join(" ")
}
