import { DateTime, Result, Schema, SchemaAST, type SchemaIssue } from "effect"
import { expectationOf } from "../../../domain/kernel/Expectation.ts"
import type { InvalidInput, MalformedInput } from "../../../domain/kernel/Rejection.ts"
import { type Finding, invalid, malformed, type Path, paramOf, rejectionOf, wrongType } from "./Finding.ts"

/** Why each member of a union that takes the type of a value refuses it: decoding the whole stops at the first one. */
const memberIssues = ({ ast }: SchemaIssue.AnyOf, value: unknown): ReadonlyArray<SchemaIssue.Issue> =>
  (ast._tag === "Union" ? ast.types : [])
    .filter((member) => isOfType(member, value))
    .flatMap((member) =>
      Result.match(Schema.decodeUnknownResult(Schema.make<Schema.Codec<unknown>>(member))(value), {
        onFailure: ({ issue }) => [issue],
        onSuccess: () => []
      })
    )

/** The rule of a value that an issue tells of; none where it is of something inside the value. */
const ruleIn = (issue: SchemaIssue.Issue): SchemaIssue.Filter | undefined => {
  switch (issue._tag) {
    case "Filter":
      return issue
    case "Composite":
      return ruleIn(issue.issues[0])
    case "Encoding":
      return ruleIn(issue.issue)
    default:
      return undefined
  }
}

/** The rules of which a value keeps none: `must be X, or Y`. */
const anyOf = (rules: ReadonlyArray<SchemaIssue.Filter>, value: unknown): string => {
  const expected = [...new Set(rules.map((each) => expectationOf(each, value)))]
  const must = "must be "
  const shared = expected.every((each) => each.startsWith(must))
  return expected.map((each, index) => (shared && index > 0 ? each.slice(must.length) : each)).join(", or ")
}

/**
 * The rules of which `value` keeps none, where several members of a union take its type, and each has one: `must be X, or Y`.
 * Undefined otherwise.
 */
export const unionExpectationOf = (issue: SchemaIssue.AnyOf, value: unknown): string | undefined => {
  const refusals = memberIssues(issue, value)
  const rules = refusals.flatMap((each) => ruleIn(each) ?? [])
  return rules.length > 1 && rules.length === refusals.length ? anyOf(rules, value) : undefined
}

/** The names of a record's fields, each with those of the records inside it. */
export interface FieldNames {
  readonly [name: string]: FieldNames
}

/** The first broken rule that was found: it is reported when nothing is malformed. */
interface Met {
  invalid: Finding | undefined
}

/** Checks a value, and returns what is malformed about it. */
type Look = (value: unknown, path: Path, met: Met) => Finding | undefined

/** The kind of an object. One that JSON can be is known by its prototype, and none of its fields is read. */
const objectKindOf = (value: object): string => {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return "object"
  if (DateTime.isDateTime(value)) return "declaration"
  return Object.prototype.toString.call(value).slice("[object ".length, -1).toLowerCase()
}

/** The JSON type of a value, and what it is where it has none: an instant, a map, a function. */
const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return typeof value === "object" ? objectKindOf(value) : typeof value
}

/** The JSON types that a schema takes. */
export const typesOf = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  const encoded = SchemaAST.toEncoded(ast)
  switch (encoded._tag) {
    case "Literal":
      return [typeof encoded.literal]
    case "Union":
      return encoded.types.flatMap(typesOf)
    case "Arrays":
      return ["array"]
    case "Objects":
      return ["object"]
    default:
      return [encoded._tag.toLowerCase()]
  }
}

/** The same for messages, which also speak of integers. */
const expectedOf = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  const encoded = SchemaAST.toEncoded(ast)
  if (encoded._tag === "Union") return encoded.types.flatMap(expectedOf)
  return encoded._tag === "Number" && checkOf(encoded, "isInt") !== undefined ? ["integer"] : typesOf(encoded)
}

/** The finding of a value whose JSON type the schema does not take. */
const typeFinding = (ast: SchemaAST.AST, path: Path, value: unknown): Finding =>
  wrongType(path, expectedOf(ast), kindOf(value))

/** Whether a value has a JSON type that a schema takes. */
export const isOfType = (ast: SchemaAST.AST, value: unknown): boolean => typesOf(ast).includes(kindOf(value))

type Filter = Extract<NonNullable<SchemaAST.AST["checks"]>[number], { readonly _tag: "Filter" }>

/** The check of a schema with this id of the library's. */
const checkOf = ({ checks }: Pick<SchemaAST.AST, "checks">, id: string): Filter | undefined =>
  checks?.flatMap((check) => (check._tag === "Filter" ? [check] : [])).find((check) => isCheck(check, id))

/** Whether a check has this id of the library's. */
const isCheck = ({ annotations }: Pick<Filter, "annotations">, id: string): boolean =>
  annotations?.representation?.id === `effect/schema/${id}`

const ofTypes = (ast: SchemaAST.AST): Look => {
  const taken = new Set(typesOf(ast))
  return (value, path) => (taken.has(kindOf(value)) ? undefined : typeFinding(ast, path, value))
}

/** The range of a schema's integers in words. Integers that a number of JSON cannot hold exactly are accepted nowhere. */
const rangeOf = (ast: SchemaAST.Number): string => {
  const bound = checkOf(ast, "isBetween")
  return bound === undefined
    ? `must be an integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`
    : expectationOf({ filter: bound }, undefined)
}

/**
 * Checks a number. A fraction is not an integer (malformed); an integer too large for a number is one, but out of
 * range. decisions, section 1.
 */
const ofNumber = (ast: SchemaAST.Number): Look => {
  const isInteger = checkOf(ast, "isInt") !== undefined
  const range = rangeOf(ast)
  return (value, path, met) => {
    if (typeof value !== "number") return typeFinding(ast, path, value)
    if (!isInteger || Number.isSafeInteger(value)) return undefined
    if (Number.isFinite(value) && !Number.isInteger(value)) {
      return malformed(path, `${paramOf(path)} must be an integer, not a fraction.`)
    }
    met.invalid ??= invalid(path, `${paramOf(path)} ${range}.`)
    return undefined
  }
}

/** Checks a list. The elements of one that is too long are not checked, as their number would be the caller's choice. */
const ofArray = (ast: SchemaAST.Arrays, element: SchemaAST.AST, readOnly: FieldNames): Look => {
  const bound = checkOf(ast, "isMaxLength")
  const maximum = Number(Object(bound?.annotations?.representation?.payload)["maxLength"] ?? Number.POSITIVE_INFINITY)
  const look = lookOf(element, readOnly)
  return (value, path, met) => {
    if (!Array.isArray(value)) return typeFinding(ast, path, value)
    if (bound !== undefined && value.length > maximum) {
      met.invalid ??= invalid(path, `${paramOf(path)} ${expectationOf({ filter: bound }, value)}.`)
      return undefined
    }
    for (const [index, each] of value.entries()) {
      const found = look(each, [...path, index], met)
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** Longest part of a caller's own name that is repeated, characters: the message goes on after it. */
const nameTold = 100

const toldName = (name: string): string =>
  name.length <= nameTold ? name : `${name.slice(0, nameTold).toWellFormed()}…`

/** The names that a message lists; of further ones it says only that there are some. */
const namesTold = 24

const takes = (names: Iterable<string>): string => {
  const all = [...names]
  if (all.length === 0) return "It takes none."
  return `It takes ${all.slice(0, namesTold).join(", ")}${all.length > namesTold ? " and others" : ""}.`
}

const unknownName = (
  path: Path,
  [known, readOnly]: readonly [known: ReadonlySet<string>, readOnly: FieldNames],
  name: string,
  met: Met
): Finding | undefined => {
  const at = [...path, name]
  // A field of the record that this operation cannot write is a rule, not an unknown name. decisions, section 1: Bodies.
  if (!Object.hasOwn(readOnly, name)) {
    return malformed(at, `${toldName(paramOf(at))} is not a field of this operation. ${takes(known)}`)
  }
  met.invalid ??= invalid(at, `${paramOf(at)} cannot be written by this operation.`)
  return undefined
}

/** The names of the fields of a record, or of the records of a list. */
export const fieldNamesOf = (ast: SchemaAST.AST): FieldNames => {
  switch (ast._tag) {
    case "Objects":
      return Object.fromEntries(ast.propertySignatures.map(({ name, type }) => [String(name), fieldNamesOf(type)]))
    case "Arrays":
      return Object.assign({}, ...ast.rest.map(fieldNamesOf))
    case "Union":
      return Object.assign({}, ...ast.types.map(fieldNamesOf))
    default:
      return {}
  }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const ofObject = (ast: SchemaAST.Objects, readOnly: FieldNames): Look => {
  const fields = ast.propertySignatures.map(({ name, type }) => ({
    name: String(name),
    isRequired: !SchemaAST.isOptional(SchemaAST.toEncoded(type)),
    look: lookOf(type, readOnly[String(name)])
  }))
  const known = new Set(fields.map(({ name }) => name))
  const takesAnyName = ast.indexSignatures.length > 0
  return (value, path, met) => {
    if (kindOf(value) !== "object" || !isObject(value)) return typeFinding(ast, path, value)
    for (const name of takesAnyName ? [] : Object.keys(value)) {
      const found = known.has(name) ? undefined : unknownName(path, [known, readOnly], name, met)
      if (found !== undefined) return found
    }
    for (const { isRequired, look, name } of fields) {
      const at = [...path, name]
      const isGiven = Object.hasOwn(value, name)
      if (!isGiven && isRequired) return malformed(at, `${paramOf(at)} is required.`)
      const found = isGiven ? look(Reflect.get(value, name), at, met) : undefined
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** The fields that tell the members of a union apart, with their values. */
const tagsOf = (ast: SchemaAST.AST): ReadonlyArray<readonly [name: PropertyKey, literal: unknown]> =>
  ast._tag === "Objects"
    ? ast.propertySignatures.flatMap(({ name, type }) =>
        type._tag === "Literal" ? [[name, type.literal] as const] : []
      )
    : []

const isScalar = ({ _tag, encoding }: SchemaAST.AST): boolean =>
  encoding === undefined && (_tag === "Literal" || _tag === "Null" || _tag === "Boolean")

/** Checks a value of a union. Where it could be meant for several members, none is checked: the schema tells them apart. */
const lookOfUnion = (ast: SchemaAST.Union, readOnly: FieldNames): Look => {
  if (ast.types.every(isScalar)) return ofTypes(ast)
  const members = ast.types.map((each) => ({ types: typesOf(each), tags: tagsOf(each), look: lookOf(each, readOnly) }))
  return (value, path, met) => {
    const kind = kindOf(value)
    const taking = members.filter(({ types }) => types.includes(kind))
    if (taking.length === 0) return typeFinding(ast, path, value)
    const meant = taking.filter(({ tags }) =>
      tags.every(([name, literal]) => Reflect.get(Object(value), name) === literal)
    )
    return meant.length === 1 ? meant[0]?.look(value, path, met) : undefined
  }
}

const lookOf = (ast: SchemaAST.AST, readOnly: FieldNames = {}): Look => {
  const link = ast.encoding?.at(-1)
  if (link !== undefined) return lookOf(link.to, readOnly)
  switch (ast._tag) {
    case "Objects":
      return ofObject(ast, readOnly)
    case "Arrays": {
      const [element, ...others] = ast.rest
      return element === undefined || others.length > 0 || ast.elements.length > 0
        ? () => undefined
        : ofArray(ast, element, readOnly)
    }
    case "Union":
      return lookOfUnion(ast, readOnly)
    case "Number":
      return ofNumber(ast)
    case "String":
    case "Boolean":
    case "Null":
    case "Literal":
      return ofTypes(ast)
    default:
      return () => undefined
  }
}

/**
 * Checks the shape of a value before its rules: JSON types, names, and the lengths of lists. It reads no more of the
 * value than the schema declares, and stops at what is malformed; otherwise it returns the first list that is too long,
 * or the first field of `readOnly`, which are the record's fields that the operation cannot write. docs/decisions/0025.
 */
const shapeOf = (ast: SchemaAST.AST, readOnly: FieldNames): ((value: unknown) => Finding | undefined) => {
  const look = lookOf(ast, readOnly)
  return (value) => {
    const met: Met = { invalid: undefined }
    return look(value, [], met) ?? met.invalid
  }
}

const valueAt = (input: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    input
  )

/** The literals that a schema takes, where it is one or a union of some. */
export const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Literal" ? [String(ast.literal)] : ast._tag === "Union" ? ast.types.flatMap(literalsOf) : []

/** Signs by their names: nobody reads them in a sentence. */
const signs = new Map<unknown, string>([
  [",", "a comma"],
  [".", "a point"],
  [";", "a semicolon"],
  ["\t", "a tab"],
  ["|", "a bar"]
])

const nameOf = (literal: unknown): string => signs.get(literal) ?? `${literal}`

/** A value of the wrong JSON type is malformed; one of the right type that no member takes is invalid. */
const ofLiterals = ({ ast }: SchemaIssue.AnyOf, path: Path, input: unknown): Finding =>
  isOfType(ast, valueAt(input, path))
    ? invalid(path, `${paramOf(path)} must be one of ${literalsOf(ast).map(nameOf).join(", ")}.`)
    : typeFinding(ast, path, valueAt(input, path))

const ofCheck = (issue: SchemaIssue.Filter, path: Path, input: unknown): Finding => {
  const expectation = isCheck(issue.filter, "isInt") ? "is out of range" : expectationOf(issue, valueAt(input, path))
  return invalid(path, `${paramOf(path)} ${expectation}.`)
}

/** A value of which several members take the type is told all of their rules: each of them would do. */
const ofUnion = (issue: SchemaIssue.AnyOf, path: Path, input: unknown): Finding => {
  const [first] = issue.issues
  if (first === undefined) return ofLiterals(issue, path, input)
  const expectation = unionExpectationOf(issue, valueAt(input, path))
  return expectation === undefined ? findingOf(first, path, input) : invalid(path, `${paramOf(path)} ${expectation}.`)
}

/** The finding of a schema's first issue; there is one only, since decoding stops there. */
const findingOf = (issue: SchemaIssue.Issue, path: Path, input: unknown): Finding => {
  switch (issue._tag) {
    case "Pointer":
      return findingOf(issue.issue, [...path, ...issue.path], input)
    case "Encoding":
      return findingOf(issue.issue, path, input)
    case "Composite":
      return findingOf(issue.issues[0], path, input)
    case "AnyOf":
      return ofUnion(issue, path, input)
    case "Filter":
      return ofCheck(issue, path, input)
    case "MissingKey":
      return malformed(path, `${paramOf(path)} is required.`)
    case "UnexpectedKey":
      return malformed(path, `${paramOf(path)} is not a field of this operation.`)
    case "InvalidType":
      return typeFinding(issue.ast, path, valueAt(input, path))
    default:
      return invalid(path, `${paramOf(path)} is not valid.`)
  }
}

/**
 * A decoder of JSON values that tells malformed input from a broken rule, and names the input at fault. Where both
 * occur, it reports the malformed one. It stops at the finding that it reports. decisions, section 1;
 * docs/decisions/0025.
 */
export const decoder = <A>(
  schema: Schema.Codec<A, unknown>,
  readOnly: FieldNames = {}
): ((input: unknown) => Result.Result<A, InvalidInput | MalformedInput>) => {
  const shape = shapeOf(schema.ast, readOnly)
  const decode = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })
  return (input) => {
    const found = shape(input)
    return found === undefined
      ? Result.mapError(decode(input), ({ issue }) => rejectionOf(findingOf(issue, [], input)))
      : Result.fail(rejectionOf(found))
  }
}
