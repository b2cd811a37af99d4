import type { DateTime } from "effect"
import { spacedAbn } from "../kernel/Abn.ts"
import { type CalendarDate, startOfDay } from "../kernel/CalendarDate.ts"
import { directionOf, type Language, pseudoOf } from "../kernel/Language.ts"
import { momentText, onOneLine } from "../kernel/MailContent.ts"
import { minorDigitsOf } from "../payments/Statement.ts"
import { arabicMails } from "./ArabicMails.ts"
import { englishMails, type MailTexts } from "./EnglishMails.ts"

/** What keeps its own direction within a text from right to left: first what begins it, then what ends it. */
const isolate = ["\u2068", "\u2069"] as const

/** Writes amounts. To make a format takes longer than a whole mail: there is one for each currency. */
const makeAmounts = (language: Language) => {
  const formats = new Map<string, Intl.NumberFormat>()
  const formatOf = (currency: string): Intl.NumberFormat => {
    // From right to left a symbol such as `A$` comes apart, and a code does not.
    const isSymbol = directionOf(language) === "ltr" && currency === "AUD"
    const style = { style: "currency", currency, currencyDisplay: isSymbol ? "symbol" : "code" } as const
    const format = formats.get(currency) ?? new Intl.NumberFormat(language, style)
    formats.set(currency, format)
    return format
  }
  return (cents: number, currency: string): string => formatOf(currency).format(cents / 10 ** minorDigitsOf(currency))
}

/** The sentences of a language, and how it writes what stands in them. */
export interface MailWords {
  readonly language: Language
  readonly texts: MailTexts
  /** What is of no language or of another one, on one line and in its own direction. */
  readonly name: (text: string) => string
  /** A donor's name, as a greeting has it: nothing where none is known, or where it would be a link or a telephone number. */
  readonly greeted: (donor: string | null) => string
  readonly amount: (cents: number, currency: string) => string
  /** The ABN in the groups in which it is written. */
  readonly abn: (abn: string) => string
  readonly day: (day: CalendarDate) => string
  /** An instant by the clocks of a timezone, which it names. */
  readonly moment: (at: DateTime.Utc, timezone: string) => string
  /** One after the other, as a language counts them up. */
  readonly all: (texts: ReadonlyArray<string>) => string
}

/** What programs of mail make a link of. Anybody can type such a name beside the address of somebody else. */
const linked = /\/\/|@|[.\u3002\uff0e\uff61]\p{L}{2}/u

const fewestDigits = 4

const isReach = (text: string): boolean => linked.test(text) || text.replaceAll(/\P{Nd}/gu, "").length >= fewestDigits

const wordsOf = (language: Language, texts: MailTexts): MailWords => {
  const [before, after] = directionOf(language) === "rtl" ? isolate : (["", ""] as const)
  const isolated = (text: string): string => (text === "" ? "" : `${before}${text}${after}`)
  const amountText = makeAmounts(language)
  const days = new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" })
  const lists = new Intl.ListFormat(language, { type: "conjunction" })
  const name = (text: string): string => isolated(onOneLine(text))
  return {
    language,
    texts,
    name,
    greeted: (donor) => (isReach(onOneLine(donor ?? "")) ? "" : name(donor ?? "")),
    amount: (cents, currency) => isolated(amountText(cents, currency)),
    abn: (abn) => isolated(spacedAbn(onOneLine(abn))),
    day: (day) => days.format(startOfDay(day, "UTC").epochMilliseconds),
    moment: (at, timezone) => momentText(at, timezone, language),
    all: (texts) => lists.format(texts)
  }
}

const words: { readonly [L in Language]: MailWords } = {
  "en-AU": wordsOf("en-AU", englishMails),
  ar: wordsOf("ar", arabicMails),
  "en-XA": wordsOf("en-XA", pseudoOf(englishMails))
}

/**
 * The words of mails to donors in a language.
 * @example
 * MailWords.wordsIn("en-AU").amount(5_000, "AUD") // => "$50.00"
 * MailWords.wordsIn("en-AU").amount(500, "JPY") // => "JPY\u00a0500"
 */
export const wordsIn = (language: Language): MailWords => words[language]
