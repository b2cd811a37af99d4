import { readFileSync } from "node:fs"
import { parseAst } from "vitest/node"
import { isNode, type Node, nameOf } from "../../architecture/Syntax.ts"
import { invalid, type Json, listOf } from "./Protocol.ts"

// The parameters that the published types of Stripe's package name, read from its declarations: the double refuses any other.

const folder = new URL("../../../node_modules/stripe/esm/", import.meta.url)

const nodesOf = (value: unknown): ReadonlyArray<Node> => (Array.isArray(value) ? value.filter(isNode) : [])

/** Every type that a file declares, by its name with its namespaces. */
const declaredIn = (body: ReadonlyArray<Node>, prefix: string, found: Map<string, Node>): Map<string, Node> => {
  for (const statement of body) {
    const node = statement.type === "ExportNamedDeclaration" ? statement["declaration"] : statement
    if (!isNode(node)) continue
    const name = prefix + nameOf(node["id"])
    if (node.type === "TSInterfaceDeclaration" || node.type === "TSTypeAliasDeclaration") found.set(name, node)
    else if (node.type === "TSModuleDeclaration" && isNode(node["body"]))
      declaredIn(nodesOf(node["body"]["body"]), `${name}.`, found)
  }
  return found
}

const read = (path: string, into = new Map<string, Node>()): Map<string, Node> => {
  const program: unknown = parseAst(readFileSync(new URL(path, folder), "utf8"), { lang: "dts" }, path)
  return declaredIn(nodesOf(Reflect.get(Object(program), "body")), "", into)
}

const shared = read("shared.d.ts")

const files = new Map<string, ReadonlyMap<string, Node>>()

const typesOf = (resource: string): ReadonlyMap<string, Node> => {
  const known = files.get(resource)
  if (known !== undefined) return known
  const types = read(`resources/${resource}.d.ts`, new Map(shared))
  files.set(resource, types)
  return types
}

type Types = ReadonlyMap<string, Node>

/** The types of a file, and the one whose parts are judged. */
interface Scope {
  readonly types: Types
  readonly root: string
}

/** `A.B.C` as it is written. */
const written = (name: unknown): string => {
  if (!isNode(name)) return ""
  return name.type === "TSQualifiedName" ? `${written(name["left"])}.${written(name["right"])}` : (nameOf(name) ?? "")
}

/** A type by its name, as it is written at the top of the file or within `root`. */
const typeNamed = ({ types, root }: Scope, name: string): Node | undefined =>
  types.get(name) ?? [...types].find(([each]) => each.startsWith(`${root}.`) && each.endsWith(`.${name}`))?.[1]

const membersOf = (types: Types, declaration: Node): ReadonlyMap<string, Node> => {
  const inherited = nodesOf(declaration["extends"]).flatMap(({ expression }) => {
    const parent = types.get(written(expression))
    return parent === undefined ? [] : [...membersOf(types, parent)]
  })
  const body = declaration["body"]
  const own = nodesOf(isNode(body) ? body["body"] : []).flatMap((member): ReadonlyArray<[string, Node]> => {
    const name = nameOf(member["key"])
    return name === null ? [] : [[name, member]]
  })
  return new Map([...inherited, ...own])
}

const isForm = (value: unknown): value is Json => typeof value === "object" && value !== null

const typeIn = (member: Node): Node | undefined => {
  const annotation = member["typeAnnotation"]
  if (!isNode(annotation)) return undefined
  return annotation.type === "TSTypeAnnotation" ? typeIn(annotation) : annotation
}

const argumentOf = (reference: Node): Node | undefined => {
  const given = reference["typeArguments"]
  return isNode(given) ? nodesOf(given["params"])[0] : undefined
}

const judgeMembers = (scope: Scope, declaration: Node, value: unknown, at: string): ReadonlyArray<string> => {
  if (!isForm(value)) return [`${at} must be an object`]
  const members = membersOf(scope.types, declaration)
  const missing = [...members].flatMap(([name, { optional }]) =>
    optional !== true && value[name] === undefined ? [`${at}[${name}] is missing`] : []
  )
  const wrong = Object.entries(value).flatMap(([name, inner]) => {
    const type = typeIn(members.get(name) ?? { type: "", start: 0, end: 0 })
    return type === undefined ? [`${at}[${name}] is unknown`] : judge(scope, type, inner, `${at}[${name}]`)
  })
  return [...wrong, ...missing]
}

/** What of a value the type does not have. */
const judge = (scope: Scope, type: Node, value: unknown, at: string): ReadonlyArray<string> => {
  if (type.type === "TSUnionType") {
    const all = nodesOf(type["types"]).map((each) => judge(scope, each, value, at))
    return all.find((faults) => faults.length === 0) ?? all.find((faults) => faults.length > 0) ?? []
  }
  if (type.type === "TSLiteralType") {
    const literal = type["literal"]
    return isNode(literal) && String(literal["value"]) === value ? [] : [`${at} is ${String(value)}`]
  }
  if (type.type !== "TSTypeReference") return isForm(value) ? [`${at} must be no object`] : []
  const name = written(type["typeName"])
  const inner = argumentOf(type)
  if (name === "Array" && inner !== undefined)
    return isForm(value)
      ? listOf(value).flatMap((each) => judge(scope, inner, each, `${at}[]`))
      : [`${at} must be a list`]
  if (name === "Emptyable" && inner !== undefined) return value === "" ? [] : judge(scope, inner, value, at)
  if (name.startsWith("Metadata")) return isForm(value) ? [] : [`${at} must be an object`]
  const declaration = typeNamed(scope, name)
  if (declaration === undefined) return isForm(value) ? [`${at} is of the unread type ${name}`] : []
  const alias = typeIn(declaration)
  return declaration.type === "TSInterfaceDeclaration" || alias === undefined
    ? judgeMembers(scope, declaration, value, at)
    : judge(scope, alias, value, at)
}

/** Refuses parameters that the published type, such as `Transfers.TransferCreateParams`, does not have. */
export const requirePublished = (published: string, form: Json): void => {
  const [resource = "", name = ""] = published.split(".")
  const types = typesOf(resource)
  const declaration = types.get(name)
  if (declaration === undefined) throw new Error(`The package has no ${published}`)
  const [fault] = judgeMembers({ types, root: name }, declaration, form, name)
  if (fault !== undefined) throw invalid(fault.endsWith("missing") ? "parameter_missing" : "parameter_unknown", fault)
}

/** The values of an enumeration of the published types, such as `Disputes.Dispute.Status`. */
export const publishedValues = (published: string): ReadonlyArray<string> => {
  const [resource = "", ...name] = published.split(".")
  const declaration = typesOf(resource).get(name.join("."))
  const alias = declaration === undefined ? undefined : typeIn(declaration)
  return nodesOf(alias?.["types"]).flatMap(({ literal }) => (isNode(literal) ? [String(literal["value"])] : []))
}
