import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { AnyOperation } from "../app/access/operation/Operation.ts"
import { GuardRefused, IllegalTransition, InvalidCommand } from "../domain/kernel/Machine.ts"
import { eachOperation } from "./Vocabulary.ts"

/** What only declarations know: types are gone when the code runs. */
export interface Declarations {
  /** The classes of the failures that an operation's use case has, in their order. */
  readonly failuresOf: (operation: AnyOperation) => ReadonlyArray<string>
  /** The place of the rules that a use case keeps, as its service says it. */
  readonly sourceOf: (operation: AnyOperation) => string
}

const opening = "<([{"
const closing = ">)]}"

/** The parts of a text between separators that are in no brackets; the text ends where a bracket of its own would. */
const partsOf = (text: string, separator: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let depth = 0
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at)
    const isArrow = letter === ">" && text.charAt(at - 1) === "="
    if (opening.includes(letter)) depth += 1
    if (closing.includes(letter) && !isArrow) depth -= 1
    if (depth < 0) return [...parts, text.slice(from, at)]
    if (letter === separator && depth === 0) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  return [...parts, text.slice(from)]
}

const refusals = [GuardRefused, IllegalTransition, InvalidCommand].map(({ name }) => name)

/** The classes of a union of failures. `Refusal` is that of machines. */
const classesOf = (union: string): ReadonlyArray<string> =>
  partsOf(union, "|").flatMap((each) => {
    const name = each.trim().split(/\W/).at(-1) ?? ""
    if (name === "never") return []
    return name === "Refusal" ? refusals : [name]
  })

const filesOf = (folder: string, pattern: RegExp): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => pattern.test(path))
    .map((path) => readFileSync(join(folder, path), "utf8"))

const typesOf = (declarations: string): ReadonlyArray<readonly [key: string, failures: ReadonlyArray<string>]> =>
  [...declarations.matchAll(/^ {4}readonly (\w+): \S*Operation</gm)].map((found) => {
    const [requirement = "", service = "", , , failures = ""] = partsOf(
      declarations.slice(found.index + found[0].length),
      ","
    )
    const [, asked = found[1]] = /"([a-z_.]+)"/.exec(requirement) ?? []
    return [`${service.trim().replace("typeof ", "")} ${asked}`, classesOf(failures)] as const
  })

const serviceOf = ({ service }: AnyOperation): string => service.key.replace("almoner/app/", "")

/** The name that tells the operation among those of its service: that which it is asked for under, or its own. */
const keyOf = (operation: AnyOperation, name: string): string =>
  `${serviceOf(operation)} ${operation.requires?.name ?? name}`

const chapters = [
  "service-spec, ",
  "decisions, ",
  "reliability, ",
  "insight, ",
  "money, ",
  "law, ",
  "pages, ",
  "docs/decisions/"
]

/** The sentence of some words that says where the rules are. */
const sourceIn = (words: string): string | undefined =>
  words
    .split(".")
    .map((sentence) => sentence.trim())
    .find((sentence) => chapters.some((chapter) => sentence.startsWith(chapter)))

/** The words of a comment, without its stars, in one line. */
const wordsOf = (comment: string): string =>
  comment
    .split("\n")
    .map((line) => line.trim().replace(/^\* ?/, ""))
    .join(" ")

const sourcesOf = (text: string): ReadonlyArray<readonly [service: string, source: string]> =>
  text.split("/**").flatMap((part) => {
    const [comment = "", code = ""] = part.split("*/")
    const [, name] = /^(?:declare )?class (\w+) extends/.exec(code.trim().replace("export ", "")) ?? []
    const source = sourceIn(wordsOf(comment))
    return name === undefined || source === undefined ? [] : [[name, source] as const]
  })

/** Reads the declarations that the build writes into `dist`. */
export const declarationsIn = (dist: string): Declarations => {
  const names = new Map(eachOperation().map(([, name, operation]) => [operation, name]))
  const failures = new Map(filesOf(join(dist, "app"), /^\w+\/\w+\.d\.ts$/).flatMap(typesOf))
  const sources = new Map(filesOf(join(dist, "app"), /^\w+\/\w+\.d\.ts$/).flatMap(sourcesOf))
  const known = <A>(found: A | undefined, what: string): A => {
    if (found === undefined) throw new Error(`${what} is not in the declarations of dist: run "npm run build"`)
    return found
  }
  return {
    failuresOf: (operation) => {
      const key = keyOf(operation, names.get(operation) ?? "")
      return known(failures.get(key), key)
    },
    sourceOf: (operation) => known(sources.get(serviceOf(operation)), `The source of ${serviceOf(operation)}`)
  }
}
