import { CalendarDate, isCalendarDate } from "../kernel/CalendarDate.ts"
import type { DayFormat } from "./CreditImport.ts"

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

const two = (text: string): string => text.padStart(2, "0")

/** 00 where it is none, which no day has. */
const monthOf = (name: string): string => two(String(months.indexOf(name.slice(0, 3).toLowerCase()) + 1))

const dayPatterns: { readonly [F in DayFormat]: readonly [RegExp, (a: string, b: string, c: string) => string] } = {
  "YYYY-MM-DD": [/^(\d{4})-(\d{2})-(\d{2})$/u, (year, month, day) => `${year}-${month}-${day}`],
  "DD/MM/YYYY": [/^(\d{1,2})[/.](\d{1,2})[/.](\d{4})$/u, (day, month, year) => `${year}-${two(month)}-${two(day)}`],
  "MM/DD/YYYY": [/^(\d{1,2})[/.](\d{1,2})[/.](\d{4})$/u, (month, day, year) => `${year}-${two(month)}-${two(day)}`],
  "DD-MMM-YYYY": [
    /^(\d{1,2})[ -]([A-Za-z]{3,9})[ -](\d{4})$/u,
    (day, month, year) => `${year}-${monthOf(month)}-${two(day)}`
  ],
  YYYYMMDD: [/^(\d{4})(\d{2})(\d{2})$/u, (year, month, day) => `${year}-${month}-${day}`]
}

/**
 * The day that a text says; null where it says none.
 *
 * @example
 * ```ts
 * StatementFormats.dayIn("1/7/2026", "DD/MM/YYYY") // => "2026-07-01"
 * StatementFormats.dayIn("31/6/2026", "DD/MM/YYYY") // => null
 * ```
 */
export const dayIn = (text: string, format: DayFormat): CalendarDate | null => {
  const [pattern, write] = dayPatterns[format]
  const [, a = "", b = "", c = ""] = pattern.exec(text.trim()) ?? []
  const day = write(a, b, c)
  return isCalendarDate(day) ? CalendarDate.make(day) : null
}

/** How amounts are written. */
export interface AmountFormat {
  /** How many digits the minor units have; 0 where an amount is a count of them. */
  readonly minorDigits: number
  readonly decimalMark: "." | ","
}

/** Whole units, where thousands are set apart or not, by the mark before the minor units. */
const wholes = { ".": /^(?:\d{1,3}(?:[, ]\d{3})+|\d+)$/u, ",": /^(?:\d{1,3}(?:[. ]\d{3})+|\d+)$/u } as const

const minus = /^(?:-|−)|(?:-|−|DR)$|^\(.*\)$/iu

/**
 * The minor units that a text says, below 0 where money went: with a sign before or after it, in brackets, with CR or DR, with
 * a dollar sign, and with thousands set apart. Null where it says no amount, or one that is not whole or not held exactly.
 *
 * @example
 * ```ts
 * const format = { decimalMark: ".", minorDigits: 2 } as const
 * StatementFormats.centsIn("(1,234.5)", format) // => -1_234_50
 * StatementFormats.centsIn("12.345", format) // => null
 * ```
 */
export const centsIn = (text: string, { decimalMark, minorDigits }: AmountFormat): number | null => {
  const given = text.trim()
  const bare = given
    .replace(/^[(+−-]|[)+−-]$|(?:CR|DR)$/giu, "")
    .trim()
    .replace(/^[$¥€£]\s*/u, "")
    .replace(/^[+−-]/u, "")
  const [whole = "", part = "", ...more] = bare.split(decimalMark)
  const grouped = wholes[decimalMark]
  const isWhole = grouped.test(whole) || (whole === "" && part !== "")
  if (more.length > 0 || !isWhole || !/^\d*$/u.test(part) || bare.endsWith(decimalMark)) return null
  const [minor, rest] = [part.slice(0, minorDigits), part.slice(minorDigits)]
  if (/[1-9]/u.test(rest)) return null
  const cents = Number(`${whole.replace(/\D/gu, "")}${minor.padEnd(minorDigits, "0")}`)
  if (!Number.isSafeInteger(cents)) return null
  return cents !== 0 && (minus.test(given) || /^[$¥€£]\s*[−-]/u.test(given)) ? -cents : cents
}
