import { isCore, type Violation } from "./ImportRules.ts"
import { isNode, lineAt, nameOf, type Place, places, type SourceFile } from "./Syntax.ts"

/** Names of a host, of its clock and of its chance. The core gets all of these as inputs or through a port. */
const hostNames = new Set(
  `Date crypto process fetch console globalThis performance setTimeout setInterval setImmediate queueMicrotask`.split(
    /\s+/
  )
)

/** Members that read the host's clock or run an effect on the spot. */
const hostMembers = /^(run(Sync|Promise|Fork|Callback)(Exit)?(With)?|nowUnsafe)$/

/** Keys under which an identifier is a member's name, not a reference. */
const isMemberName = ({ key, parent }: Place): boolean => {
  if (parent === null) return false
  if (parent.type === "TSQualifiedName") return key === "right"
  if (parent.type === "ImportSpecifier") return key === "imported"
  if (parent.type === "ExportSpecifier") return key === "exported"
  return (key === "property" || key === "key") && parent["computed"] !== true
}

const isPlainMath = ({ key, parent }: Place): boolean =>
  parent?.type === "MemberExpression" &&
  key === "object" &&
  parent["computed"] !== true &&
  nameOf(parent["property"]) !== "random"

const judge = (place: Place): string | null => {
  const { node } = place
  switch (node.type) {
    case "Identifier": {
      const name = nameOf(node) ?? ""
      if (isMemberName(place)) return hostMembers.test(name) ? name : null
      if (name === "Math" && !isPlainMath(place)) return "Math.random"
      return hostNames.has(name) ? name : null
    }
    case "TSAnyKeyword":
      return "any"
    case "TSAsExpression": {
      const type = node["typeAnnotation"]
      return isNode(type) && nameOf(type["typeName"]) === "const" ? null : "as"
    }
    case "TSTypeAssertion":
      return "a type assertion"
    case "TSNonNullExpression":
      return "a non-null assertion"
    default:
      return null
  }
}

/** Domain, ports and app contain no clock, chance, host or type escape. */
export const purity = (file: SourceFile): ReadonlyArray<Violation> => {
  if (!isCore(file.path)) return []
  const text = file.text
  const found = places(file).flatMap((place) => {
    const name = judge(place)
    return name === null ? [] : [{ path: file.path, line: lineAt(text, place.node.start), found: name }]
  })
  const escapes = [...text.matchAll(/@ts-(?:ignore|expect-error|nocheck)|biome-ignore/g)].map((match) => ({
    path: file.path,
    line: lineAt(text, match.index),
    found: match[0]
  }))
  return [...found, ...escapes]
}
