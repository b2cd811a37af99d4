import { Predicate } from "effect"
import { eventTypes } from "../../src/domain/outbox/Event.ts"
import * as library from "../../src/internal.ts"
import type { Violation } from "./ImportRules.ts"
import { isNode, lineAt, type Node, nameOf, places, type SourceFile } from "./Syntax.ts"

/** Longest source file, lines. */
export const fileLinesMaximum = 400

export const functionLinesMaximum = 70

/** Functions of the product that are longer with the functions inside them. Whoever shortens one lowers this. */
export const longFunctionsMaximum = 36

const matches = (file: SourceFile, pattern: RegExp): ReadonlyArray<Violation> =>
  [...file.text.matchAll(pattern)].map((match) => ({
    path: file.path,
    line: lineAt(file.text, match.index),
    found: match[0].trim()
  }))

export const shortFiles = (file: SourceFile): ReadonlyArray<Violation> => {
  // Nobody reads a printed file from its beginning to its end.
  if (/^src\/.+\/generated\//.test(file.path)) return []
  const lines = file.text.trimEnd().split("\n").length
  return lines > fileLinesMaximum ? [{ path: file.path, line: lines, found: `${lines} lines` }] : []
}

const isFunction = ({ type }: Node): boolean =>
  type === "FunctionDeclaration" || type === "FunctionExpression" || type === "ArrowFunctionExpression"

interface Span {
  readonly node: Node
  readonly first: number
  readonly last: number
}

const functionsOf = (file: SourceFile): ReadonlyArray<Span> =>
  places(file).flatMap(({ node }) =>
    isFunction(node) ? [{ node, first: lineAt(file.text, node.start), last: lineAt(file.text, node.end) }] : []
  )

const tooLong = (file: SourceFile, line: number, lines: number): ReadonlyArray<Violation> =>
  lines > functionLinesMaximum ? [{ path: file.path, line, found: `a function of ${lines} lines` }] : []

/** Lines that are a function's own: those of the functions inside it are theirs. */
export const shortFunctions = (file: SourceFile): ReadonlyArray<Violation> => {
  const functions = functionsOf(file)
  return functions.flatMap(({ first, last, node }) => {
    const own = new Set(Array.from({ length: last - first + 1 }, (_, index) => first + index))
    for (const inner of functions) {
      if (inner.node === node || inner.node.start < node.start || inner.node.end > node.end) continue
      for (let line = inner.first + 1; line <= inner.last; line++) own.delete(line)
    }
    return tooLong(file, first, own.size)
  })
}

/** The functions that make services: of `Service`, or the `make` of a `Context.Service`. What is inside them counts for itself. */
const makersOf = (file: SourceFile): ReadonlySet<Node> => {
  const parents = new Map(places(file).map(({ node, parent }) => [node, parent]))
  const isMaker = (node: Node): boolean => {
    const call = parents.get(node)
    if (isService(file, call, "Service<")) return true
    const property = call && parents.get(call)
    const shape = property && parents.get(property)
    const service = shape && parents.get(shape)
    return (
      property?.type === "Property" && nameOf(property["key"]) === "make" && isService(file, service, "Context.Service")
    )
  }
  return new Set(functionsOf(file).flatMap(({ node }) => (isMaker(node) ? [node] : [])))
}

const isService = (file: SourceFile, node: Node | null | undefined, callee: string): boolean =>
  node?.type === "CallExpression" && file.text.slice(node.start, node.end).startsWith(callee)

/**
 * Functions that are long with those inside them: what is inside closes over all that is around it, so that neither is read
 * alone. There are some left, and there may not be more.
 */
export const modulesOfFunctions = (files: ReadonlyArray<SourceFile>): ReadonlyArray<Violation> => {
  const found = files.flatMap((file) => {
    const makers = makersOf(file)
    return functionsOf(file).flatMap(({ first, last, node }) =>
      makers.has(node) ? [] : tooLong(file, first, last - first + 1)
    )
  })
  return found.length > longFunctionsMaximum ? found : []
}

/** Marks of unfinished work. The brackets keep this file from finding itself. */
export const noUnfinishedMarks = (file: SourceFile): ReadonlyArray<Violation> => [
  ...matches(file, /\b(?:T[O]DO|F[I]XME|X[X]X|H[A]CK)\b/g),
  ...matches(file, /\b(?:for n[o]w|not implement[e]d|unimplement[e]d)\b/gi)
]

/** Tests that are switched off, or switch the others off. */
export const everyTestRuns = (file: SourceFile): ReadonlyArray<Violation> =>
  matches(file, /\b(?:it|test|describe|layer)(?:\.\w+)*\.(?:skip|only|todo)\b/g)

/** Folders of one machine. The leading class keeps URLs and relative paths out. */
export const noMachinePaths = (file: SourceFile): ReadonlyArray<Violation> =>
  matches(file, /(?<![A-Za-z0-9_./~-])\/(?:work|tmp|farm|root|home|Users)\/[A-Za-z0-9]\S*|\b[A-Z]:\\Users\\\S*/g)

const calleeOf = (file: SourceFile, node: unknown): string => {
  if (!isNode(node) || node.type !== "CallExpression" || !isNode(node["callee"])) return ""
  return file.text.slice(node["callee"].start, node["callee"].end)
}

/** Nothing stands in for what a machine refuses: the refusal is the answer. */
export const refusalsAnswered = (file: SourceFile): ReadonlyArray<Violation> =>
  places(file).flatMap(({ node }) => {
    const callee = calleeOf(file, node)
    const [decision] = Array.isArray(node["arguments"]) ? node["arguments"] : []
    const swallowed = /^Result\.(?:getOrElse|match)$/.test(callee) && /(?:^|\.)decide$/.test(calleeOf(file, decision))
    return swallowed ? [{ path: file.path, line: lineAt(file.text, node.start), found: callee }] : []
  })

/** Levels at which the program speaks. */
const speaks = /^Effect\.log(?:Trace|Debug|Info|Warning|Error|Fatal)?$/

/**
 * What is logged beside a sentence went through `loggedCause`: a cause as it is holds rows and requests, and whose logger gets
 * it is not ours to say.
 */
export const causesWithheld = (file: SourceFile): ReadonlyArray<Violation> =>
  places(file).flatMap(({ node }) => {
    if (!speaks.test(calleeOf(file, node)) || !Array.isArray(node["arguments"])) return []
    return node["arguments"]
      .filter((given, index) => {
        const callee = calleeOf(file, given)
        const isTold = callee === "loggedCause" || (index === 0 && !/(?:^|\.)Cause\./.test(callee))
        const isBare = index === 0 && isNode(given) && given.type === "Identifier" && nameOf(given) === "cause"
        return !isTold || isBare
      })
      .map(() => ({ path: file.path, line: lineAt(file.text, node.start), found: calleeOf(file, node) }))
  })

const statusesOf = (module: unknown): ReadonlyArray<string> =>
  Predicate.hasProperty(module, "machine") &&
  Predicate.hasProperty(module.machine, "statuses") &&
  Array.isArray(module.machine.statuses)
    ? module.machine.statuses
    : []

/** The statuses of every record; those of transfers are common words. */
const statuses = [...Object.values(library).flatMap(statusesOf), ...library.Mail.Status.literals].filter(
  (status) => status === status.toUpperCase()
)

/**
 * Stores compare nothing with a status or another name that records have, and write no status of their own: the rule, and
 * the row of the machine, are the domain's.
 */
export const rulesOfTheDomain = (file: SourceFile): ReadonlyArray<Violation> => [
  ...matches(file, /[=!]==\s*"[A-Z][A-Z_]+"|(?:=|<>|\bIN\s*\()\s*'[A-Z][A-Z_]+'/g),
  ...matches(file, new RegExp(`(?<![=(]\\s*)(?<quote>["'])(?:${statuses.join("|")})\\k<quote>`, "g"))
]

const eventName = new RegExp(`^(?:${[...new Set(eventTypes.map((type) => type.split(".")[0]))].join("|")})\\.\\w*$`)

const isCooked = (value: unknown): value is { readonly cooked: string } =>
  typeof value === "object" && value !== null && "cooked" in value && typeof value.cooked === "string"

const textOf = ({ type, ["value"]: value }: Node): unknown => {
  if (type === "Literal") return value
  return type === "TemplateElement" && isCooked(value) ? value.cooked : null
}

/** Names of events outside of machines and births: only these may write them. */
export const eventsUnnamed = (file: SourceFile): ReadonlyArray<Violation> =>
  places(file).flatMap(({ node }) => {
    const text = textOf(node)
    const named = typeof text === "string" && eventName.test(text)
    return named ? [{ path: file.path, line: lineAt(file.text, node.start), found: text }] : []
  })

/** A Markdown document begins with its one `# Title`. */
export const oneTitle = (file: SourceFile): ReadonlyArray<Violation> => {
  const prose = file.text.replaceAll(/^(```+|~~~+)[^\n]*\n[\s\S]*?^\1[^\n]*$/gm, "")
  const titles = prose.match(/^# .+$/gm) ?? []
  return titles.length === 1 && /^\s*# /.test(prose) ? [] : [{ path: file.path, line: 1, found: titles.join(", ") }]
}

/** The lock file installs from whatever registry npm is set to. */
export const noRegistryAddresses = (file: SourceFile): ReadonlyArray<Violation> =>
  matches(file, /"resolved":\s*"https?:[^"]*"/g)

const takesTime = /\borganisationNow\b(?![^{}]*\} from )/g
const runsInTime = /\b(?:serviceInOrganisationTime|makeOrganisationTime|makeCallersTime|makeTimeOf)\b/

/** `organisationNow` is an organisation's time only where that was set: other use cases take the real one. */
export const timeNamed = ({ path, text }: SourceFile): ReadonlyArray<Violation> =>
  runsInTime.test(text)
    ? []
    : [...text.matchAll(takesTime)].map(({ 0: found, index }) => ({ path, line: lineAt(text, index), found }))

/** Where the words of {@link checkedTime} are defined. */
const timeItself = /^src\/(?:domain\/kernel\/(?:InstantRange|CalendarDate)|ports\/kernel\/AheadClock)\.ts$/

/** Instants are made and reckoned where they are held to their range, and "now" says whose it is. */
export const checkedTime = (file: SourceFile): ReadonlyArray<Violation> =>
  timeItself.test(file.path)
    ? []
    : matches(file, /(?<!^\s*(?:\*|\/\/).*)\bDateTime\.(?:add|subtract|make|from|now|nudge|mutate)\w*/gm)
