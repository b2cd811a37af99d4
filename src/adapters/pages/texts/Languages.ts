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

/** The weight of a language of the header. RFC 9110, section 12.5.4. */
const weighted = (item: string): { readonly tag: string; readonly weight: number } => {
  const [tag = "", ...parameters] = item.split(";").map((part) => part.trim())
  const given = parameters.find((part) => /^q=/i.test(part))
  const weight = given === undefined ? 1 : Number(given.slice(2))
  return { tag: tag.toLowerCase(), weight: weight >= 0 && weight <= 1 ? weight : 0 }
}

/** More languages than anybody's browser sends are not looked at. */
const mostLanguages = 20

/** The language that a reader prefers, by the header `Accept-Language`. */
export const languageFor = (header: string | undefined): Texts => {
  const wanted = (header ?? "")
    .split(",", mostLanguages)
    .map(weighted)
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
  for (const { tag } of wanted) {
    const exact = languages.find(({ lang }) => lang.toLowerCase() === tag)
    const found = exact ?? languages.find(({ lang }) => primary(lang) === primary(tag))
    if (found !== undefined) return found
  }
  return english
}
