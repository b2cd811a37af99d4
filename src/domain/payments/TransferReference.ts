import type { ChargeId } from "../kernel/Ids.ts"

/**
 * The reference that a donor writes on a bank transfer, by which its credit is recognised: seven digits of Crockford's base32 and a check
 * digit of the same alphabet. money, section 3: Bank transfer.
 *
 * The digits are taken as elements of the field of 32, and a reference is sound where they, as coefficients of a polynomial,
 * have the primitive element as a root. Two places never have the same weight there, so every wrong digit is found, and so is
 * every exchange of two, neighbours or not. docs/decisions/0059.
 */
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/** How many characters a reference has. */
export const referenceCharacters = 8

/** Multiplies by the primitive element, modulo x^5 + x^2 + 1. */
const raised = (value: number): number => ((value & 16) === 0 ? value << 1 : (value << 1) ^ 37)

const remainderOf = (text: string): number =>
  Array.from(text).reduce((sum, digit) => raised(sum) ^ digits.indexOf(digit), 0)

const checkOf = (seven: string): string => digits.charAt(raised(remainderOf(seven)))

const shape = new RegExp(`^[${digits}]{${referenceCharacters}}$`, "u")

/**
 * Whether a text is a reference, exactly as we write one.
 * @example
 * TransferReference.isReference("NCW3T5D8") // => true
 * TransferReference.isReference("NCW35TD8") // => false
 * TransferReference.isReference("ncw3t5d8") // => false
 */
export const isReference = (text: string): boolean => shape.test(text) && remainderOf(text) === 0

/** How many references a charge has to choose from, where others have the first. */
export const referenceChoices = 6

/**
 * A reference of a charge: made of the digits of its id that chance alone has made, so that it is the same whenever it is
 * asked for. `choice`, from 0, takes others of them.
 * @example
 * const id = Ids.ChargeId.make("chg_01jqz6x8h4e5vb9m2k7ncw3t5d")
 * TransferReference.referenceOf(id, 0) // => "NCW3T5D8"
 * TransferReference.referenceOf(id, 1) // => "7NCW3T5A"
 */
export const referenceOf = (id: ChargeId, choice: number): string => {
  const end = id.length - choice
  const seven = id.slice(end - (referenceCharacters - 1), end).toUpperCase()
  return `${seven}${checkOf(seven)}`
}

/** What people and banks put between the characters of a reference, and what nobody sees. */
const between = /[\s_./\\:·\p{Pd}\p{Cf}]+/gu

/** Crockford's reading: no case and no width, O is zero, and I and L are one. */
const readAs = (text: string): string =>
  text
    .normalize("NFKC")
    .toUpperCase()
    .replace(between, "")
    .replaceAll("O", "0")
    .replaceAll("I", "1")
    .replaceAll("L", "1")

const foreign = new RegExp(`[^${digits}]+`, "u")

/**
 * Every reference that can be read in a text, in the order of their places: with spaces, dashes, dots and slashes in it, in lower
 * case, in full-width characters, and with the letters that are taken for digits. Some may be there by chance.
 * @example TransferReference.referencesIn("Gift ncw3-t5/d8, thanks") // => ["NCW3T5D8"]
 */
export const referencesIn = (text: string): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const run of readAs(text).split(foreign)) {
    for (let start = 0; start + referenceCharacters <= run.length; start += 1) {
      const part = run.slice(start, start + referenceCharacters)
      if (remainderOf(part) === 0) found.add(part)
    }
  }
  return Array.from(found)
}
