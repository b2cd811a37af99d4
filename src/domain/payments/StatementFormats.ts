import { Option } from "effect"
import type { DayFormat } from "../access/StatementMapping.ts"
import { CalendarDate, dayOf, isCalendarDate } from "../kernel/CalendarDate.ts"
import { readInstant } from "../kernel/InstantRange.ts"

const months = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december"
]

const two = (text: string): string => text.padStart(2, "0")

/** 00 where it is none, which no day has. */
const monthOf = (name: string): string =>
  two(String(1 + months.findIndex((month) => month.startsWith(name.toLowerCase().replace(/^sept$/u, "sep")))))

/** A year of two digits is one of this century. */
const yearOf = (text: string): string => (text.length === 2 ? `20${text}` : text)

const separator = "[\\s./,_\\p{Pd}]{1,3}"
const [short, year] = ["(\\d{1,2})", "(\\d{4}|\\d{2})"]
/** A time after the day, and how far the clock is from UTC. */
const time =
  "(?:[T\\s,]{1,3}(\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?)\\s?([ap]\\.?m\\.?)?\\s?(Z|UTC|GMT|[+-]\\d{2}:?\\d{2})?)?"

const written = (...parts: ReadonlyArray<string>): RegExp => new RegExp(`^${parts.join(separator)}${time}$`, "iu")

const dayPatterns: { readonly [F in DayFormat]: readonly [RegExp, (a: string, b: string, c: string) => string] } = {
  "YYYY-MM-DD": [written("(\\d{4})", short, short), (y, m, d) => `${y}-${two(m)}-${two(d)}`],
  "DD/MM/YYYY": [written(short, short, year), (d, m, y) => `${yearOf(y)}-${two(m)}-${two(d)}`],
  "MM/DD/YYYY": [written(short, short, year), (m, d, y) => `${yearOf(y)}-${two(m)}-${two(d)}`],
  "DD-MMM-YYYY": [written(short, "([A-Za-z]{3,9})", year), (d, m, y) => `${yearOf(y)}-${monthOf(m)}-${two(d)}`],
  YYYYMMDD: [new RegExp(`^(\\d{4})(\\d{2})(\\d{2})${time}$`, "iu"), (y, m, d) => `${y}-${m}-${d}`]
}

/** What nobody sees, and what looks like another character: full-width digits and signs, and every kind of space. */
const plainly = (text: string): string =>
  text
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .trim()

const weekday = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[\s,.]+/iu

/** The day of a moment, in the timezone of the account: `+0000` is not the day that an Australian's bank has. */
const dayHere = (written: string, time: string, offset: string, timezone: string): CalendarDate | null => {
  const zone = offset.replace(/^[A-Z]+$/u, "Z").replace(/(\d{2}):?(\d{2})$/u, "$1:$2")
  const at = readInstant(`${written}T${time.replace(",", ".").replace(/^(?=\d:)/u, "0")}${zone}`)
  return Option.getOrNull(Option.map(at, (each) => dayOf(each, timezone)))
}

/**
 * The day that a text says; null where it says none. Between its parts may be any separator, before it a weekday, and after it a
 * time, which decides the day where it says how far it is from UTC.
 * @example
 * StatementFormats.dayIn("1/7/26", "DD/MM/YYYY", "UTC") // => "2026-07-01"
 * StatementFormats.dayIn("2026-06-30 23:15:00 +0000", "YYYY-MM-DD", "Australia/Sydney") // => "2026-07-01"
 * StatementFormats.dayIn("31/6/2026", "DD/MM/YYYY", "UTC") // => null
 */
export const dayIn = (text: string, format: DayFormat, timezone: string): CalendarDate | null => {
  const [pattern, write] = dayPatterns[format]
  const [, a = "", b = "", c = "", clock = "", half, offset] = pattern.exec(plainly(text).replace(weekday, "")) ?? []
  const said = write(a, b, c)
  if (!isCalendarDate(said)) return null
  return offset === undefined || half !== undefined
    ? CalendarDate.make(said)
    : dayHere(said, clock, offset.toUpperCase(), timezone)
}

/** How amounts are written. */
export interface AmountFormat {
  /** How many digits the minor units have; 0 where an amount is a count of them. */
  readonly minorDigits: number
  readonly decimalMark: "." | ","
  /** The currency that an amount may name. */
  readonly currency: string
}

/** Whole units, where thousands are set apart or not: one separator in an amount. */
const isWhole = (text: string): boolean => {
  const [found] = /[,.\s'’ʼ′]/u.exec(text) ?? []
  if (found === undefined) return /^\d+$/u.test(text)
  const [first = "", ...thousands] = text.split(found)
  return /^\d{1,3}$/u.test(first) && thousands.every((each) => /^\d{3}$/u.test(each))
}

const signs: Readonly<Record<string, RegExp>> = { $: /D$/u, "€": /^EUR$/u, "£": /^GBP$/u, "¥": /^(?:JPY|CNY)$/u }

/** What may stand before or after a number: signs, the way in which the money went, and a currency. */
const before = /^(?:[+−-]|[A-Z]{0,2}\$|[€£¥]|CR|DR|DB|[A-Z]{3})/iu
const after = /(?:[+−-]|[$€£¥]|CR|DR|DB|[A-Z]{3})$/iu

const isOf = (mark: string, currency: string): boolean => {
  const sign = signs[mark.slice(-1)]
  return sign === undefined ? mark === currency : sign.test(currency) && currency.startsWith(mark.slice(0, -1))
}

interface Bare {
  readonly number: string
  readonly isOut: boolean
}

/** A number without what stands around it; null where that is there twice, contradicts itself or names another currency. */
const bareOf = (text: string, currency: string): Bare | null => {
  const [, inside] = /^\((.*)\)$/u.exec(text) ?? []
  const marks: Array<string> = []
  let number = (inside ?? text).trim()
  for (;;) {
    const first = before.exec(number)?.[0]
    const mark = first ?? after.exec(number)?.[0]
    if (mark === undefined) break
    number = (first === undefined ? number.slice(0, -mark.length) : number.slice(mark.length)).trim()
    marks.push(mark.toUpperCase().replace("−", "-"))
  }
  const isIn = marks.some((mark) => mark === "+" || mark === "CR")
  const isOut = inside !== undefined || marks.some((mark) => /^(?:-|DR|DB)$/u.test(mark))
  const others = marks.filter((mark) => !/^(?:[+-]|CR|DR|DB)$/u.test(mark))
  const isSound = new Set(marks).size === marks.length && others.every((mark) => isOf(mark, currency))
  return isSound && !(isIn && isOut) ? { number, isOut } : null
}

/**
 * The minor units that a text says, below 0 where money went: with a sign before or after it, in brackets, with CR or DR, with a
 * currency's sign or code, and with thousands set apart. Null where it says no amount, or one that is not whole or not held exactly.
 * @example
 * const format = { decimalMark: ".", minorDigits: 2, currency: "AUD" } as const
 * StatementFormats.centsIn("(1,234.5)", format) // => -1_234_50
 * StatementFormats.centsIn("AUD 1 234.50 CR", format) // => 1_234_50
 * StatementFormats.centsIn("€5.00", format) // => null
 * StatementFormats.centsIn("12.345", format) // => null
 */
export const centsIn = (text: string, { currency, decimalMark, minorDigits }: AmountFormat): number | null => {
  const read = bareOf(plainly(text), currency)
  if (read === null) return null
  const { isOut, number } = read
  const [whole = "", part = "", ...more] = number.split(decimalMark)
  const hasUnits = isWhole(whole) || (whole === "" && part !== "")
  if (more.length > 0 || !hasUnits || !/^\d*$/u.test(part) || number.endsWith(decimalMark)) return null
  const [minor, rest] = [part.slice(0, minorDigits), part.slice(minorDigits)]
  if (/[1-9]/u.test(rest)) return null
  const cents = Number(`${whole.replace(/\D/gu, "")}${minor.padEnd(minorDigits, "0")}`)
  if (!Number.isSafeInteger(cents)) return null
  return cents !== 0 && isOut ? -cents : cents
}

const wordsIn = new Set(["c", "cr", "credit", "crdt", "in", "deposit", "incoming", "received", "money in", "+"])
const wordsOut = new Set(["d", "dr", "db", "debit", "dbit", "out", "withdrawal", "outgoing", "sent", "money out", "-"])

/**
 * Which way the money went, by the word of a column that says it; null for a word that says neither.
 * @example
 * StatementFormats.isMoneyIn(" Credit ") // => true
 * StatementFormats.isMoneyIn("DR") // => false
 * StatementFormats.isMoneyIn("Fee") // => null
 */
export const isMoneyIn = (word: string): boolean | null => {
  const said = plainly(word).toLowerCase()
  return wordsIn.has(said) ? true : wordsOut.has(said) ? false : null
}
