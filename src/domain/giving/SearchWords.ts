import { Limits } from "../kernel/Limits.ts"

/** What people type for letters that do not come apart into a letter and an accent. */
const typed: Readonly<Record<string, string>> = {
  æ: "ae",
  œ: "oe",
  ø: "o",
  ß: "ss",
  þ: "th",
  đ: "d",
  ð: "d",
  ɖ: "d",
  ɗ: "d",
  ł: "l",
  ƚ: "l",
  ħ: "h",
  ı: "i",
  ɨ: "i",
  ȷ: "j",
  ĸ: "k",
  ƙ: "k",
  ŋ: "n",
  ɲ: "n",
  ŧ: "t",
  ƭ: "t",
  ƀ: "b",
  ɓ: "b",
  ƈ: "c",
  ƒ: "f",
  ɠ: "g",
  ǥ: "g",
  ɔ: "o",
  ɵ: "o",
  ƥ: "p",
  ʉ: "u",
  ʋ: "v",
  ƴ: "y",
  ƶ: "z",
  ə: "e",
  ɛ: "e",
  ς: "σ"
}

const untyped = new RegExp(`[${Object.keys(typed).join("")}]`, "gu")

/** Apostrophes, and what stands for them, that Unicode counts as letters or takes apart into a space and an accent. */
const apostrophes = /[\u00b4\u02b9-\u02bf\u02c8\u02ca\u02cb\u02ee\u1fbd\u1fbf\u1ffd\u1ffe\ua78b\ua78c]/gu

/**
 * Accents of Latin, Greek and Cyrillic letters, the vowel points of Hebrew and Arabic, and what lengthens Arabic words. The
 * marks of other scripts are letters of their own to those who write them.
 */
const accents =
  /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]/gu

/** A text without case and accents, in the letters that people type: `Łukasz Groß` is `lukasz gross`. */
const folded = (text: string): string =>
  text
    // Some apostrophes are signs of another alphabet until they are composed.
    .normalize("NFC")
    .replaceAll(apostrophes, "'")
    .normalize("NFKD")
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(accents, "")
    .replaceAll(untyped, (letter) => typed[letter] ?? letter)
    .normalize("NFC")

/** The first characters of a word, which are all that is compared. */
const beginning = (word: string): string =>
  word.length <= Limits.searchWordCharacters
    ? word
    : Array.from(word.slice(0, 2 * Limits.searchWordCharacters))
        .slice(0, Limits.searchWordCharacters)
        .join("")

/** A text that has no letter and no digit is one word as it is, so that it can be found and does not find everything. */
const symbolsOf = (text: string): ReadonlyArray<string> => {
  const symbols = text.normalize("NFKC").toLowerCase().replaceAll(/\s+/gu, "")
  return symbols === "" ? [] : [beginning(symbols)]
}

/**
 * The words that a search looks for, each of which must begin one of a record's {@link storedWordsOf}. Case, accents,
 * apostrophes, hyphens, brackets and all else that is neither letter nor digit make no difference. docs/decisions/0034.
 */
export const soughtWordsOf = (text: string): ReadonlyArray<string> => {
  const words = folded(text)
    .split(/\s+/u)
    .map((word) => beginning(word.replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, "")))
    .filter((word) => word !== "")
  return words.length === 0 ? symbolsOf(text) : [...new Set(words)]
}

/** From each letter or digit that begins a part of the text, all parts that follow, as one word. */
const runsOf = (text: string): ReadonlyArray<string> => {
  const parts = text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  // No part is empty: no more of them are compared than a word has characters.
  return parts.map((_, at) => beginning(parts.slice(at, at + Limits.searchWordCharacters).join("")))
}

const umlauts: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", ø: "oe", å: "aa" }

/** What German and Nordic keyboards lack is typed in two letters, too: `Müller` is `mueller`. */
const spelledOut = (text: string): string =>
  text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[äöüøå]/gu, (letter) => umlauts[letter] ?? letter)

/** A folded text as if two letters that may stand for one did: `mueller` is `muller`, as `Müller` is. */
const contracted = (text: string): string => text.replaceAll(/([aou])e|aa/gu, (pair) => pair.slice(0, 1))

const variantsOf = (text: string): ReadonlyArray<string> => {
  const plain = folded(text)
  return [plain, folded(spelledOut(text)), contracted(plain)]
}

/**
 * The words that a record of these texts is found by: each text from the beginning of each of its parts on, so that
 * `O'Brien` is found by `obrien` and `brien`, `Anne-Marie` by `annemarie` and `marie`, an e-mail address by its name and by
 * its domain. A word that begins another is left out: whatever finds it finds the other. docs/decisions/0034.
 */
export const storedWordsOf = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const words = texts.flatMap((text) => {
    const runs = variantsOf(text).flatMap(runsOf)
    return runs.length === 0 ? symbolsOf(text) : runs
  })
  // In order, what begins with a word follows it.
  const sorted = [...new Set(words)].toSorted()
  return sorted.filter((word, at) => sorted[at + 1]?.startsWith(word) !== true)
}
