import { weightsOf } from "../../http/pipeline/Accept.ts"
import { arabic } from "./Arabic.ts"
import { english, type Texts } from "./English.ts"

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

const stretched = <A>(value: A): A => {
  if (typeof value === "string") return lengthened(value) as A
  if (typeof value === "function") return ((...given: ReadonlyArray<unknown>) => lengthened(value(...given))) as A
  return Object.fromEntries(Object.entries(Object(value)).map(([name, each]) => [name, stretched(each)])) as A
}

/** English that is two fifths longer, for tests: `en-XA`, by the convention of pseudo-languages. */
const pseudo: Texts = { ...stretched(english), lang: "en-XA", dir: "ltr" }

/** The languages that pages are shown in; the first one is for everybody else. */
export const languages: readonly [Texts, ...ReadonlyArray<Texts>] = [english, arabic, pseudo]

const primary = (tag: string): string => tag.split("-", 1).join("").toLowerCase()

/** The language that a reader prefers, by the header `Accept-Language`. RFC 9110, section 12.5.4. */
export const languageFor = (header: string | undefined): Texts => {
  const wanted = [...weightsOf(header ?? "")].filter(([, weight]) => weight > 0).sort(([, a], [, b]) => b - a)
  for (const [tag] of wanted) {
    const exact = languages.find(({ lang }) => lang.toLowerCase() === tag)
    const found = exact ?? languages.find(({ lang }) => primary(lang) === primary(tag))
    if (found !== undefined) return found
  }
  return english
}
