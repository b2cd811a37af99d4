import { minorDigitsOf } from "../../domain/payments/Statement.ts"
import { centsIn } from "../../domain/payments/StatementFormats.ts"

/** The digits 0 of scripts whose digits people type. Unicode has the nine others after each. */
const zeros = [0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0be6, 0x0e50, 0x0ed0, 0x1040, 0x17e0]

const asciiDigit = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0
  const zero = zeros.find((each) => code >= each && code <= each + 9)
  return zero === undefined ? digit : String(code - zero)
}

/** A text with the digits of every script as ours. */
export const asciiDigits = (text: string): string => text.normalize("NFKC").replaceAll(/\p{Nd}/gu, asciiDigit)

/** More characters than the longest amount with everything around it. */
export const amountCharacters = 40

/**
 * The minor units that a donor typed, however they write amounts; null where that is none, or could be two.
 * @example
 * typedCents("$1,000", "AUD") // => 100_000
 * typedCents("50,5", "AUD") // => 5_050
 * typedCents("٥٠", "AUD") // => 5_000
 * typedCents("1.000", "AUD") // => null
 * typedCents("5²", "AUD") // => null
 */
export const typedCents = (text: string, currency: string): number | null => {
  // Numerals that are no digits, as ², would be folded into one.
  if (text.length > amountCharacters || /\p{No}/u.test(text)) return null
  const plain = asciiDigits(text).replaceAll("٫", ".").replaceAll("٬", ",").trim()
  // Whoever types 1.000 may mean a thousand.
  if (!/\d/u.test(plain) || /\.\d{3}/u.test(plain)) return null
  const decimalMark = /,\d{1,2}\D*$/u.test(plain) ? "," : "."
  const cents = centsIn(plain, { currency, decimalMark, minorDigits: minorDigitsOf(currency) })
  return cents === null || cents < 0 ? null : cents
}

/** From right to left a symbol such as `A$` comes apart, as its sign is no letter; a code does not. */
const displayIn = (language: string) => (/^ar\b/.test(language) ? "code" : "symbol")

/** The formats of amounts: to make one takes longer than a whole page. There is one for each of our languages and currencies. */
const formats = new Map<string, Intl.NumberFormat>()

const formatOf = (currency: string, language: string): Intl.NumberFormat => {
  const name = `${language} ${currency}`
  const format =
    formats.get(name) ??
    new Intl.NumberFormat(language, {
      style: "currency",
      currency,
      currencyDisplay: displayIn(language),
      trailingZeroDisplay: "stripIfInteger"
    })
  formats.set(name, format)
  return format
}

/** An amount as a language writes it; whole units without a fraction. */
export const moneyText = (cents: number, currency: string, language: string): string =>
  formatOf(currency, language).format(cents / 10 ** minorDigitsOf(currency))

/** An amount as a field shows it, which {@link typedCents} reads. */
export const amountText = (cents: number, currency: string): string => {
  const digits = minorDigitsOf(currency)
  const units = cents / 10 ** digits
  return Number.isInteger(units) ? String(units) : units.toFixed(digits)
}

/** A day as a language writes it, in a time zone. */
export const dayText = (day: Date, timeZone: string, language: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone }).format(day)
