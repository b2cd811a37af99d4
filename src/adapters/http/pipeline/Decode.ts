import { Option, Result, Schema, type SchemaAST, type SchemaIssue } from "effect"
import { expectationOf } from "../../../domain/kernel/Expectation.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { type InvalidInput, MalformedInput } from "../../../domain/kernel/Rejection.ts"
import type { FieldNames } from "../endpoints/Annotations.ts"
import { type Finding, invalid, malformed, type Path, paramOf, rejectionOf } from "./Finding.ts"
import { jsonFault } from "./JsonFault.ts"
import { isCheck, isOfType, shapeOf, typeFinding } from "./Shape.ts"

const valueAt = (input: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    input
  )

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Literal" ? [String(ast.literal)] : ast._tag === "Union" ? ast.types.flatMap(literalsOf) : []

/** A value of the wrong JSON type is malformed; one of the right type that no member takes is invalid. */
const ofUnion = ({ ast }: SchemaIssue.AnyOf, path: Path, input: unknown): Finding =>
  isOfType(ast, valueAt(input, path))
    ? invalid(path, `${paramOf(path)} must be one of ${literalsOf(ast).join(", ")}.`)
    : typeFinding(ast, path, valueAt(input, path))

const ofCheck = (issue: SchemaIssue.Filter, path: Path, input: unknown): Finding => {
  const expectation = isCheck(issue.filter, "isInt") ? "is out of range" : expectationOf(issue, valueAt(input, path))
  return invalid(path, `${paramOf(path)} ${expectation}.`)
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
    case "AnyOf": {
      const [first] = issue.issues
      return first === undefined ? ofUnion(issue, path, input) : findingOf(first, path, input)
    }
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

const utf8 = new TextDecoder("utf-8", { fatal: true })

const [quote, backslash] = [0x22, 0x5c]
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b])
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d])

/** Whether JSON nests lists and objects too deep, judged by its bytes before it is parsed. */
const isTooDeep = (bytes: Uint8Array): boolean => {
  let depth = 0
  let isText = false
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0
    if (isText) {
      if (byte === backslash) index += 1
      else if (byte === quote) isText = false
    } else if (byte === quote) isText = true
    else if (byte < 0x5b) continue
    else if (opening.has(byte)) depth += 1
    else if (closing.has(byte)) depth -= 1
    if (depth > Limits.bodyDepth) return true
  }
  return false
}

const faultOf = (text: string): string => {
  const fault = jsonFault(text)
  return fault === undefined
    ? "The body is not well-formed JSON."
    : `The body is not well-formed JSON: at line ${fault.line}, column ${fault.column}, ${fault.expected} is expected.`
}

/** Reads a body as JSON; none when it is empty. */
export const parseJson = (bytes: Uint8Array): Result.Result<Option.Option<unknown>, MalformedInput> => {
  if (bytes.byteLength === 0) return Result.succeed(Option.none())
  if (isTooDeep(bytes)) {
    const message = `The body nests lists and objects more than ${Limits.bodyDepth} levels deep.`
    return Result.fail(new MalformedInput({ message }))
  }
  return Result.flatMap(
    Result.try({
      try: () => utf8.decode(bytes),
      catch: () => new MalformedInput({ message: "The body is not text in UTF-8. Send the JSON in that encoding." })
    }),
    (text) =>
      Result.try({
        try: () => Option.some<unknown>(JSON.parse(text)),
        catch: () => new MalformedInput({ message: faultOf(text) })
      })
  )
}
