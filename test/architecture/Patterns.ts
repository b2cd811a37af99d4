import { join } from "node:path"
import type { SchemaAST } from "effect"
import { check } from "recheck"
import { vi } from "vitest"
import { root } from "./Checkout.ts"
import { lineAt, type Node, nameOf, places, type SourceFile } from "./Syntax.ts"

/** A regular expression, and where it stands. */
export interface Pattern {
  readonly where: string
  readonly source: string
  readonly flags: string
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const literalOf = ({ regex }: Node): readonly [source: string, flags: string] | undefined =>
  isRecord(regex) ? [String(regex["pattern"]), String(regex["flags"])] : undefined

/** The regular expressions that a file writes down. */
export const literals = (file: SourceFile): ReadonlyArray<Pattern> =>
  places(file).flatMap(({ node }) => {
    const [source, flags] = literalOf(node) ?? []
    const where = `${file.path}:${lineAt(file.text, node.start)}`
    return source === undefined || flags === undefined ? [] : [{ where, source, flags }]
  })

/** A regular expression that a file makes of text: what it begins and ends with, as far as that is written down. */
export interface BuiltPattern {
  readonly where: string
  readonly begins: string
  readonly ends: string
}

const cooked = (quasi: unknown): string =>
  isRecord(quasi) && isRecord(quasi["value"]) ? String(quasi["value"]["cooked"]) : ""

const fixedParts = (argument: unknown): Pick<BuiltPattern, "begins" | "ends"> => {
  const text = nameOf(argument)
  if (isRecord(argument) && argument["type"] === "Literal" && text !== null) return { begins: text, ends: text }
  const quasis = isRecord(argument) && Array.isArray(argument["quasis"]) ? argument["quasis"] : []
  return { begins: cooked(quasis[0]), ends: cooked(quasis.at(-1)) }
}

const constructs = ({ type }: Node): boolean => type === "NewExpression" || type === "CallExpression"

/** The regular expressions that a file makes of text. */
export const builtPatterns = (file: SourceFile): ReadonlyArray<BuiltPattern> =>
  places(file).flatMap(({ node }) => {
    if (!constructs(node) || nameOf(node["callee"]) !== "RegExp") return []
    const [first] = Array.isArray(node["arguments"]) ? node["arguments"] : []
    return [{ where: `${file.path}:${lineAt(file.text, node.start)}`, ...fixedParts(first) }]
  })

/** The patterns that files make of text while they are loaded: loads the files anew, and listens. */
export const madeOnLoading = async (paths: Iterable<string>): Promise<ReadonlyArray<Pattern>> => {
  const found: Array<Pattern> = []
  const { RegExp } = globalThis
  const listening = new Proxy(RegExp, {
    construct: (target, given, newTarget) => {
      const pattern: RegExp = Reflect.construct(target, given, newTarget)
      found.push({ where: "made of text", source: pattern.source, flags: pattern.flags })
      return pattern
    }
  })
  vi.resetModules()
  globalThis.RegExp = listening
  try {
    for (const path of paths) await import(join(root, path))
  } finally {
    globalThis.RegExp = RegExp
  }
  return found
}

/** Patterns made of text that no file was heard to make: they are made when a caller asks, of who knows what. */
export const unheard = (all: ReadonlyArray<BuiltPattern>, heard: ReadonlyArray<Pattern>): ReadonlyArray<string> =>
  all
    .filter(({ begins, ends }) => !heard.some(({ source }) => source.startsWith(begins) && source.endsWith(ends)))
    .map(({ where }) => where)

/** The patterns that a schema holds texts to, at every depth. */
export const patternsOf = (where: string, ast: SchemaAST.AST): ReadonlyArray<Pattern> => {
  const seen = new Set<SchemaAST.AST>()
  const checked = (check: SchemaAST.Check<unknown>): ReadonlyArray<Pattern> => {
    if (check._tag === "FilterGroup") return check.checks.flatMap(checked)
    const { flags, source } = Object(check.annotations?.representation?.payload)
    return typeof source === "string" ? [{ where, source, flags: String(flags) }] : []
  }
  const visit = (node: SchemaAST.AST): ReadonlyArray<Pattern> => {
    if (seen.has(node)) return []
    seen.add(node)
    return [...(node.checks ?? []).flatMap(checked), ...parts(node).flatMap(visit)]
  }
  const parts = (node: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
    const links = (node.encoding ?? []).map(({ to }) => to)
    switch (node._tag) {
      case "Objects":
        return [
          ...links,
          ...node.propertySignatures.map(({ type }) => type),
          ...node.indexSignatures.map(({ type }) => type)
        ]
      case "Arrays":
        return [...links, ...node.elements, ...node.rest]
      case "Union":
        return [...links, ...node.types]
      default:
        return links
    }
  }
  return visit(ast)
}

/** `automaton` proves, `fuzz` searches for a text that takes long. */
type Checker = "automaton" | "fuzz"

/** Those of the patterns that a checker does not find to be linear, with what it found. */
export const slow = async (patterns: ReadonlyArray<Pattern>, checker: Checker): Promise<ReadonlyArray<string>> => {
  const distinct = new Map(patterns.map((pattern) => [`/${pattern.source}/${pattern.flags}`, pattern]))
  const found: Array<string> = []
  for (const [text, { flags, source, where }] of distinct) {
    const { status } = await check(source, flags, { checker, timeout: 60_000 })
    if (status !== "safe") found.push(`${where}: ${text} is ${status}`)
  }
  return found
}
