import { parseAst } from "vitest/node"

/** A file of the project: its path from the root with forward slashes, and its text. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

/** A node of the syntax tree (ESTree with TypeScript's nodes). */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

/** A node, what holds it, and under which key. */
export interface Place {
  readonly node: Node
  readonly parent: Node | null
  readonly key: string
}

/** An import in any of its forms. `specifier` is null when it is computed. */
export interface Import {
  readonly specifier: string | null
  /** The imported names with their local names; `*` is the whole module. */
  readonly names: ReadonlyArray<{ readonly imported: string; readonly local: string }>
  readonly start: number
}

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

const trees = new WeakMap<SourceFile, ReadonlyArray<Place>>()

/** Every node of a file, outermost first. */
export const places = (file: SourceFile): ReadonlyArray<Place> => {
  const known = trees.get(file)
  if (known !== undefined) return known
  const program: unknown = parseAst(file.text, { lang: file.path.endsWith(".tsx") ? "tsx" : "ts" }, file.path)
  const found: Array<Place> = []
  const visit = (value: unknown, parent: Node | null, key: string): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, parent, key)
    if (!isNode(value)) return
    found.push({ node: value, parent, key })
    for (const [name, child] of Object.entries(value)) visit(child, value, name)
  }
  visit(program, null, "")
  trees.set(file, found)
  return found
}

/** The line of an offset, counted from 1. */
export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length

const literal = (value: unknown): string | null => {
  if (!isNode(value)) return null
  if (value.type === "Literal" && typeof value["value"] === "string") return value["value"]
  const { expressions, quasis } = value
  if (value.type !== "TemplateLiteral" || !Array.isArray(expressions) || expressions.length > 0) return null
  const [quasi] = Array.isArray(quasis) ? quasis : []
  return typeof quasi?.value?.cooked === "string" ? quasi.value.cooked : null
}

/** The name of an identifier, the text of a string; null for anything else. */
export const nameOf = (value: unknown): string | null => {
  if (isNode(value) && value.type === "Identifier" && typeof value["name"] === "string") return value["name"]
  return literal(value)
}

const importedNames = (node: Node): Import["names"] => {
  const specifiers: ReadonlyArray<unknown> = Array.isArray(node["specifiers"]) ? node["specifiers"] : []
  return specifiers.filter(isNode).map((specifier) => {
    const local = nameOf(specifier["local"]) ?? ""
    if (specifier.type === "ImportNamespaceSpecifier") return { imported: "*", local }
    if (specifier.type === "ImportDefaultSpecifier") return { imported: "default", local }
    return { imported: nameOf(specifier["imported"]) ?? local, local }
  })
}

const isImportMetaUrl = (value: unknown): boolean =>
  isNode(value) &&
  value.type === "MemberExpression" &&
  isNode(value["object"]) &&
  value["object"].type === "MetaProperty"

const importOf = ({ node }: Place): Import | null => {
  const { start } = node
  const source = node["source"]
  const whole = [{ imported: "*", local: "" }]
  switch (node.type) {
    case "ImportDeclaration":
      return { specifier: literal(source), names: importedNames(node), start }
    case "ExportNamedDeclaration":
      return isNode(source) ? { specifier: literal(source), names: importedNames(node), start } : null
    case "TSImportType": {
      const first = node["qualifier"]
      const name = isNode(first) && first.type === "TSQualifiedName" ? nameOf(first["left"]) : nameOf(first)
      return { specifier: literal(source), names: name === null ? whole : [{ imported: name, local: "" }], start }
    }
    case "ExportAllDeclaration":
    case "ImportExpression":
      return { specifier: literal(source), names: whole, start }
    case "NewExpression": {
      const [path, base] = Array.isArray(node["arguments"]) ? node["arguments"] : []
      return nameOf(node["callee"]) === "URL" && isImportMetaUrl(base)
        ? { specifier: literal(path), names: [], start }
        : null
    }
    default:
      return null
  }
}

const importsOf = new WeakMap<SourceFile, ReadonlyArray<Import>>()

/** Every import, re-export, dynamic import, type import and `new URL(…, import.meta.url)` of a file. */
export const imports = (file: SourceFile): ReadonlyArray<Import> => {
  const found = importsOf.get(file) ?? places(file).flatMap((place) => importOf(place) ?? [])
  importsOf.set(file, found)
  return found
}

/** The path that a relative specifier means, seen from a file; null for a package. */
export const resolve = (from: string, specifier: string): string | null => {
  if (!specifier.startsWith(".")) return null
  const parts = from.split("/").slice(0, -1)
  for (const part of specifier.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return `../${specifier}`
    } else if (part !== ".") parts.push(part)
  }
  return parts.join("/")
}

/** The files that others import, these others among them, each once. */
export const reachedFrom = (
  files: ReadonlyArray<SourceFile>,
  others: ReadonlyArray<SourceFile>
): ReadonlyArray<SourceFile> => {
  const known = new Map(files.map((file) => [file.path, file]))
  const reached = new Set<SourceFile>()
  const reach = (file: SourceFile | undefined): void => {
    if (file === undefined || reached.has(file)) return
    reached.add(file)
    for (const { specifier } of imports(file)) {
      const target = specifier === null ? null : resolve(file.path, specifier)
      if (target !== null) reach(known.get(target.replace(/\.js$/, ".ts")))
    }
  }
  for (const file of others) reach(file)
  return [...reached]
}
