import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../architecture/Checkout.ts"

const chapters = ["service-spec", "decisions", "money", "law", "pages", "insight"] as const

type Chapter = (typeof chapters)[number]

/** What a citation names: a chapter of the contract, sections of it, and words that stand in one of them. */
export interface Citation {
  readonly text: string
  readonly chapter: string
  readonly sections: ReadonlyArray<string>
  readonly item: string | undefined
}

/** A section of a chapter: its heading, and its words with those of its sub-sections. */
interface Section {
  readonly heading: string
  readonly words: string
}

const plain = (markdown: string): string => markdown.replaceAll(/\*\*|`/g, "").replaceAll(/\s+/g, " ")

/** A heading as it is cited: without a plan or a remark in brackets, and without the path that all addresses share. */
const cited = (heading: string): string => heading.replace(/ \(.*\)$/, "").replace("/api/v1", "")

const sectionsOf = (chapter: Chapter): ReadonlyArray<Section> => {
  const text = readFileSync(join(root, `docs/contract/${chapter}.md`), "utf8")
  return [...text.matchAll(/^(#+) (.+)$/gm)].map(({ 0: line, 1: marks = "", 2: heading = "", index }) => {
    const rest = text.slice(index + line.length)
    const [words = ""] = marks === "#" ? [rest] : rest.split(new RegExp(`^#{1,${marks.length}} `, "m"))
    return { heading: cited(heading), words: plain(words) }
  })
}

const contract: ReadonlyMap<string, ReadonlyArray<Section>> = new Map(
  chapters.map((chapter) => [chapter, sectionsOf(chapter)])
)

/** The text in one line, without the marks at the beginnings of a comment's lines. */
const joined = (text: string): string => text.replaceAll(/\n[ \t]*(?:\*(?!\/)|\/\/|--|#|>)?[ \t]*/g, " ")

const numbers = (text: string): ReadonlyArray<string> => text.match(/\d+/g) ?? []

// A citation ends with its sentence, bracket, quotation, cell or comment, or with a semicolon; events' names have points.
const words = String.raw`[A-Za-z0-9].*?(?=[;)"\`\]']| ?\||\.(?:[\s"\`')]|$)| ?\*\/| {2}|$)`
const numbered = String.raw`sections? \d+(?:(?:, | and )\d+)*(?:, step \d+)?(?:: ${words})?`
const bySections = new RegExp(String.raw`\b(decisions|money|law|pages|insight), (${numbered}(?:; ${numbered})*)`, "g")
const byHeading = new RegExp(String.raw`\b(service-spec), (${words})`, "g")

const placeOf = (chapter: string, place: string): Citation => {
  const [names = "", ...rest] = place.split(": ")
  const item = rest.length === 0 ? undefined : rest.join(": ")
  const text = `${chapter}, ${place}`
  if (chapter === "service-spec") return { text, chapter, sections: [cited(names)], item }
  const [sections = "", step] = names.split(", step ")
  return { text, chapter, sections: numbers(sections), item: step === undefined ? item : `${step}. ` }
}

/** Every citation of the contract in a text. */
export const citationsIn = (text: string): ReadonlyArray<Citation> => {
  const line = joined(text)
  return [...line.matchAll(bySections), ...line.matchAll(byHeading)].flatMap(([, chapter = "", places = ""]) =>
    places.split("; ").map((place) => placeOf(chapter, place))
  )
}

const isCalled = ({ heading }: Section, name: string): boolean =>
  /^\d+$/.test(name) ? heading.startsWith(`${name}. `) : heading === name

/** Whether words stand in a section; what begins with a small letter may begin a sentence there. */
const stands = (section: Section, item: string): boolean =>
  section.words.includes(item) || section.words.includes(`${item.charAt(0).toUpperCase()}${item.slice(1)}`)

/** Whether every section of a citation is in its chapter, and what it names in one of them. */
export const leads = ({ chapter, item, sections }: Citation): boolean => {
  const found = sections.map((name) => contract.get(chapter)?.find((section) => isCalled(section, name)))
  const there = found.filter((section) => section !== undefined)
  return there.length === sections.length && (item === undefined || there.some((section) => stands(section, item)))
}
