import type { Violation } from "./ImportRules.ts"
import { isNode, lineAt, type Node, nameOf, places, type SourceFile } from "./Syntax.ts"

/** Past forms that do not end in -ed. Those that are verbs in the imperative, too (`read`, `put`, `set`), are left out. */
const irregular = new Set(
  `asked began begun bound bought brought built came caught chosen done drawn driven fallen fed felt forgotten found gave given
  gone grown had heard held hidden kept known laid led left lent lit lived looked lost made meant met paid risen said sat saw
  seen sent shown slept sold sought spent spoilt spoken stolen stood sworn taken taught thrown told took torn went withdrawn
  won worn written wrote`.split(/\s+/)
)

/** Nouns of the field that look like participles. */
export const nouns: ReadonlySet<string> = new Set([
  // What a store answers page by page, and its definition in a record's file.
  "listing",
  // What fields mean: an annotation of schemas.
  "meanings",
  // What a host or an operator chooses.
  "setting",
  "settings",
  // How processors call the way in which an account comes to take charges.
  "onboarding",
  // What a check found, and the words in which it is said.
  "finding",
  "wording",
  // A movement of the books.
  "posting",
  // RFC 9110 calls the forms of a document so.
  "coding",
  "codings",
  // Parts of the test kit: a subject mapped on a service, and requests in any order of their steps.
  "mapping",
  "mappings",
  "interleavings",
  "logging",
  // The answers 401 and 400 in the words of the standard and of the contract.
  "unauthorized",
  "malformed",
  "nothing",
  // No participles at all.
  "embed",
  "feed",
  "id",
  "king",
  "need",
  "ping",
  "ring",
  "seed",
  "speed",
  "spring",
  "string",
  "testing",
  "thing",
  "wing"
])

/** Whether a name is one word that says how something is or was, and not what it is: `taken`, `Held`, `asking`. */
export const isParticiple = (name: string): boolean => {
  const word = name.toLowerCase()
  return /^[A-Za-z][a-z]+$/.test(name) && !nouns.has(word) && (irregular.has(word) || /(?:ed|ings?)$/.test(word))
}

const patternNames = (node: unknown): ReadonlyArray<Node> => {
  if (!isNode(node)) return []
  if (node.type === "Identifier") return [node]
  const parts = node["properties"] ?? node["elements"]
  return Array.isArray(parts)
    ? parts.flatMap((part) => patternNames(isNode(part) ? (part["value"] ?? part) : part))
    : []
}

const declaredNames = (declaration: unknown): ReadonlyArray<Node> => {
  if (!isNode(declaration)) return []
  const { declarations, id } = declaration
  return Array.isArray(declarations) ? declarations.flatMap((each) => patternNames(each["id"])) : patternNames(id)
}

const exportedNames = ({ type, ...node }: Node): ReadonlyArray<Node> => {
  if (type === "ExportAllDeclaration") return [node["exported"]].filter(isNode)
  if (type !== "ExportNamedDeclaration") return []
  const specifiers = Array.isArray(node["specifiers"]) ? node["specifiers"].map((each) => each["exported"]) : []
  return [...declaredNames(node["declaration"]), ...specifiers.filter(isNode)]
}

/** A noun can be composed and written about, a participle cannot: `taken` leaves open what, when and by whom. */
export const nounExports = (file: SourceFile): ReadonlyArray<Violation> =>
  places(file)
    .flatMap(({ node }) => exportedNames(node))
    .filter((node) => isParticiple(nameOf(node) ?? ""))
    .map((node) => ({ path: file.path, line: lineAt(file.text, node.start), found: `the export ${nameOf(node)}` }))

/** The same of a file's name. */
export const nounFiles = ({ path }: SourceFile): ReadonlyArray<Violation> => {
  const name = /([^/.]+)(?:\.[^/]*)?$/.exec(path)?.[1] ?? ""
  return isParticiple(name) ? [{ path, line: 1, found: `the file name ${name}` }] : []
}
