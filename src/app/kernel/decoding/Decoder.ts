import { Result, Schema, type SchemaAST, type SchemaIssue } from "effect"
import { expectationOf } from "../../../domain/kernel/Expectation.ts"
import type { InvalidInput, MalformedInput } from "../../../domain/kernel/Rejection.ts"
import { type Finding, invalid, malformed, type Path, paramOf, rejectionOf } from "./Finding.ts"
import { type FieldNames, isCheck, isOfType, shapeOf, typeFinding } from "./Shape.ts"
import { unionExpectationOf } from "./UnionRules.ts"

const valueAt = (input: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    input
  )

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Literal" ? [String(ast.literal)] : ast._tag === "Union" ? ast.types.flatMap(literalsOf) : []

/** A value of the wrong JSON type is malformed; one of the right type that no member takes is invalid. */
const ofLiterals = ({ ast }: SchemaIssue.AnyOf, path: Path, input: unknown): Finding =>
  isOfType(ast, valueAt(input, path))
    ? invalid(path, `${paramOf(path)} must be one of ${literalsOf(ast).join(", ")}.`)
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
