import { type Language, pseudoOf } from "../../../domain/kernel/Language.ts"
import { weightsOf } from "../../http/pipeline/Accept.ts"
import { arabic } from "./Arabic.ts"
import { english, type Texts } from "./English.ts"

const catalogues: { readonly [L in Language]: Texts } = {
  "en-AU": english,
  ar: arabic,
  "en-XA": { ...pseudoOf(english), lang: "en-XA" }
}

/** The languages that pages are shown in. */
export const languages: ReadonlyArray<Texts> = Object.values(catalogues)

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
