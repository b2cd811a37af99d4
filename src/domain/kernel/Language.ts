/**
 * The languages in which donors are spoken to, by pages and by mails. `en-XA` is English in longer words, for tests, by the
 * convention of pseudo-languages.
 */
export const languages = ["en-AU", "ar", "en-XA"] as const
/** One of these languages. */
export type Language = (typeof languages)[number]

const directions: { readonly [L in Language]: "ltr" | "rtl" } = { "en-AU": "ltr", ar: "rtl", "en-XA": "ltr" }

/** The direction in which a language is written. */
export const directionOf = (language: Language): "ltr" | "rtl" => directions[language]

/**
 * The language of a record: English where none was said, and for one that a newer version wrote and this one does not know.
 * @example
 * Language.languageOf("ar") // => "ar"
 * Language.languageOf("tlh") // => "en-AU"
 */
export const languageOf = (kept: string | null): Language => languages.find((known) => known === kept) ?? "en-AU"

const accents: Readonly<Record<string, string>> = {
  a: "à",
  c: "ç",
  e: "é",
  i: "î",
  n: "ñ",
  o: "ö",
  s: "š",
  u: "û",
  y: "ý"
}

/** A sentence as it would stand in a language that needs two fifths more room: a page that cuts it off is seen. */
const lengthened = (text: string): string => {
  const marked = text.replaceAll(/[aceinosuy]/g, (letter) => accents[letter] ?? letter)
  return `⟦${marked}${" ~".repeat(Math.ceil(text.length / 5))}⟧`
}

/** A catalogue of sentences in `en-XA`, made of the English one. */
export function pseudoOf<A>(english: A): A
/** The same of any part of a catalogue. */
export function pseudoOf(english: unknown): unknown {
  if (typeof english === "string") return lengthened(english)
  if (typeof english === "function") {
    return (...given: ReadonlyArray<unknown>) => lengthened(String(english(...given)))
  }
  return Object.fromEntries(Object.entries(Object(english)).map(([name, each]) => [name, pseudoOf(each)]))
}
