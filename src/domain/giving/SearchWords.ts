import { Limits } from "../kernel/Limits.ts"

/** How people type letters that Unicode does not take apart into a letter and an accent. */
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

/** Apostrophes and their look-alikes that Unicode counts as letters, or takes apart into a space and an accent. */
const apostrophes = /[\u00b4\u02b9-\u02bf\u02c8\u02ca\u02cb\u02ee\u1fbd\u1fbf\u1ffd\u1ffe\ua78b\ua78c]/gu

/**
 * Accents of Latin, Greek and Cyrillic letters, the vowel points of Hebrew and Arabic, and the stroke that lengthens
 * Arabic words. The marks of other scripts stay: they are letters of their own to those who write them.
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

/** The first characters of a word; the rest is not compared. */
const beginning = (word: string): string =>
  Array.from(word.slice(0, 2 * Limits.searchWordCharacters))
    .slice(0, Limits.searchWordCharacters)
    .join("")

/**
 * The one word of a text without letters and digits: the text itself, so that it can be found and does not match
 * everything.
 */
const symbolsOf = (text: string): ReadonlyArray<string> => {
  const symbols = text.normalize("NFKC").toLowerCase().replaceAll(/\s+/gu, "")
  return symbols === "" ? [] : [beginning(symbols)]
}

/**
 * The words that a search looks for: each must begin one of a record's {@link storedWordsOf}. Case, accents,
 * apostrophes, hyphens, brackets and everything else that is neither letter nor digit make no difference.
 * docs/decisions/0034.
 * @example SearchWords.soughtWordsOf("Zoë O'Brien") // => ["zoe", "obrien"]
 */
export const soughtWordsOf = (text: string): ReadonlyArray<string> => {
  const words = folded(text)
    .split(/\s+/u)
    .map((word) => beginning(word.replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, "")))
    .filter((word) => word !== "")
  return words.length === 0 ? symbolsOf(text) : [...new Set(words)]
}

/** The scripts whose writers put no space between the parts of a name. */
const unspaced = ["Han", "Hira", "Kana", "Bopo", "Hang", "Thai", "Laoo", "Khmr", "Mymr", "Tibt"]
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join("")
const ofUnspaced = new RegExp(`[${unspaced}]`, "u")

/** What a character is to the words of a text. One of a script without spaces is a part alone. */
const kindOf = (character: string): "mark" | "other" | "alone" | "run" => {
  if (/\p{M}/u.test(character)) return "mark"
  if (!/[\p{L}\p{N}]/u.test(character)) return "other"
  return ofUnspaced.test(character) ? "alone" : "run"
}

/** The parts of a text: one character, with its marks, where no spaces are written, and a run of letters and digits elsewhere. */
const partsOf = (text: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let last: ReturnType<typeof kindOf> = "other"
  for (const character of text) {
    const kind = kindOf(character)
    const continues = (kind === "mark" && last !== "other") || (kind === "run" && last === "run")
    if (continues) parts[parts.length - 1] += character
    else if (kind !== "other") parts.push(character)
    // A mark with nothing before it begins a run.
    if (!continues) last = kind === "mark" ? "run" : kind
  }
  return parts
}

/**
 * The two names of a person as one text, in both orders, where either is in a script without spaces: nobody types one there.
 * Both are none where they are longer than what is compared.
 * @example SearchWords.joinedNamesOf("小明", "王") // => ["王小明", "小明王"]
 */
export const joinedNamesOf = (first: string, last: string): ReadonlyArray<string> => {
  const isJoined = [...(first + last)].some((each) => kindOf(each) === "alone")
  const isShort = first.length + last.length <= Limits.searchWordCharacters
  return isJoined && isShort ? [last + first, first + last] : []
}

/** For each part of a text: that part and all that follow it, as one word. */
const runsOf = (text: string): ReadonlyArray<string> => {
  const parts = partsOf(text)
  // Every part has a character or more, so a word's maximum of characters is reached within as many parts.
  return parts.map((_, at) => beginning(parts.slice(at, at + Limits.searchWordCharacters).join("")))
}

const umlauts: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", ø: "oe", å: "aa" }

/**
 * A text with the two letters that are typed for a letter which German and Nordic keyboards have: `Müller` is
 * `mueller`.
 */
const spelledOut = (text: string): string =>
  text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[äöüøå]/gu, (letter) => umlauts[letter] ?? letter)

/** A folded text in which two letters that may stand for one are that one: `mueller` becomes `muller`, as `Müller` does. */
const contracted = (text: string): string => text.replaceAll(/([aou])e|aa/gu, (pair) => pair.slice(0, 1))

/**
 * Names that stand in a text, however they are typed: each run of up to four of its words as one word, in the form in which names
 * are compared by {@link nameKey}.
 * @example SearchWords.nameKeysIn("Zoë van Dam") // => ["zo", "zovan", "zovandam", "van", "vandam", "dam"]
 */
export const nameKeysIn = (text: string): ReadonlyArray<string> => {
  const words = soughtWordsOf(text).map(contracted)
  return words.flatMap((_, at) =>
    [1, 2, 3, 4].flatMap((count) => (at + count > words.length ? [] : words.slice(at, at + count).join("")))
  )
}

/**
 * A name as one word, by which it is compared with those of a text: `Müller` and `MUELLER` are one.
 * @example SearchWords.nameKey("Müller") // => "muller"
 */
export const nameKey = (name: string): string => soughtWordsOf(name).map(contracted).join("")

const variantsOf = (text: string): ReadonlyArray<string> => {
  const plain = folded(text)
  return [plain, folded(spelledOut(text)), contracted(plain)]
}

/**
 * The words that a record with these texts is found by: for each part of a text, the text from there on. So `O'Brien`
 * is found by `obrien` and `brien`, `Anne-Marie` by `annemarie` and `marie`, an e-mail address by its name and by its
 * domain, `王小明` by each character and what follows it. A word that begins another is left out: every search that matches it matches the other. docs/decisions/0034.
 * @example SearchWords.storedWordsOf(["Anne-Marie"]) // => ["annemarie", "marie"]
 */
export const storedWordsOf = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const words = texts.flatMap((text) => {
    const runs = variantsOf(text).flatMap(runsOf)
    return runs.length === 0 ? symbolsOf(text) : runs
  })
  // Sorted, a word is directly followed by the words that begin with it.
  const sorted = [...new Set(words)].toSorted()
  return sorted.filter((word, at) => sorted[at + 1]?.startsWith(word) !== true)
}
