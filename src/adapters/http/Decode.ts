import { Option, Result, Schema, SchemaAST, type SchemaIssue } from "effect"
import { expectationOf } from "../../domain/Expectation.ts"
import { InvalidInput, MalformedInput } from "../../domain/Rejection.ts"

type Path = ReadonlyArray<PropertyKey>

interface Finding {
  readonly kind: "malformed" | "invalid"
  readonly path: Path
  readonly message: string
}

/** `allocations[1].amount_cents`. decisions, section 1. */
export const paramOf = (path: Path): string =>
  path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`),
    ""
  )

const valueAt = (input: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    input
  )

const kindOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value)

/** The JSON types that a schema takes. */
const typesOf = (ast: SchemaAST.AST): ReadonlyArray<string> => {
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
    case "Null":
      return ["null"]
    default:
      return [encoded._tag.toLowerCase()]
  }
}

const isIntegerCheck = (issue: SchemaIssue.Filter): boolean =>
  issue.filter.annotations?.["representation"] !== undefined &&
  Reflect.get(Object(issue.filter.annotations["representation"]), "id") === "effect/schema/isInt"

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Literal" ? [String(ast.literal)] : ast._tag === "Union" ? ast.types.flatMap(literalsOf) : []

/** A value of the wrong JSON type is malformed; one of the right type that no member takes is invalid. */
const ofUnion = (issue: SchemaIssue.AnyOf, path: Path, input: unknown): Finding => {
  const literals = literalsOf(issue.ast)
  const kind = typesOf(issue.ast).includes(kindOf(valueAt(input, path))) ? "invalid" : "malformed"
  const param = paramOf(path)
  return {
    kind,
    path,
    message: kind === "malformed" ? `${param} has the wrong type.` : `${param} must be one of ${literals.join(", ")}.`
  }
}

/** A fraction is not an integer; an integer too large for a number is one, out of range. decisions, section 1. */
const ofCheck = (issue: SchemaIssue.Filter, path: Path, input: unknown): Finding => {
  const param = paramOf(path)
  const value = valueAt(input, path)
  if (!isIntegerCheck(issue)) return { kind: "invalid", path, message: `${param} ${expectationOf(issue, value)}.` }
  return Number.isFinite(value) && !Number.isInteger(value)
    ? { kind: "malformed", path, message: `${param} must be an integer.` }
    : { kind: "invalid", path, message: `${param} is out of range.` }
}

const findingsOf = (issue: SchemaIssue.Issue, path: Path, input: unknown): ReadonlyArray<Finding> => {
  const param = paramOf(path)
  switch (issue._tag) {
    case "Pointer":
      return findingsOf(issue.issue, [...path, ...issue.path], input)
    case "Composite":
      return issue.issues.flatMap((each) => findingsOf(each, path, input))
    case "Encoding":
      return findingsOf(issue.issue, path, input)
    case "AnyOf":
      return issue.issues.length > 0
        ? issue.issues.flatMap((each) => findingsOf(each, path, input))
        : [ofUnion(issue, path, input)]
    case "Filter":
      return [ofCheck(issue, path, input)]
    case "MissingKey":
      return [{ kind: "malformed", path, message: `${param} is required.` }]
    case "UnexpectedKey":
      return [{ kind: "malformed", path, message: `${param} is not a field of this operation.` }]
    case "InvalidType":
      return [
        {
          kind: "malformed",
          path,
          message: param === "" ? "The body must be a JSON object." : `${param} has the wrong type.`
        }
      ]
    default:
      return [{ kind: "invalid", path, message: `${param} is not valid.` }]
  }
}

/** A field of the record that this operation cannot write is a rule, not an unknown name. decisions, section 1: Bodies. */
const withReadOnly = (finding: Finding, readOnly: ReadonlySet<string>): Finding =>
  finding.path.length === 1 && finding.message.endsWith("is not a field of this operation.")
    ? readOnly.has(String(finding.path[0]))
      ? { ...finding, kind: "invalid", message: `${paramOf(finding.path)} cannot be written by this operation.` }
      : finding
    : finding

const rejectionOf = (findings: ReadonlyArray<Finding>): InvalidInput | MalformedInput => {
  const malformed = findings.find(({ kind }) => kind === "malformed")
  if (malformed !== undefined) return new MalformedInput({ message: malformed.message })
  const invalid = findings[0]
  return invalid === undefined
    ? new MalformedInput({ message: "The body is not valid." })
    : new InvalidInput({ param: paramOf(invalid.path), message: invalid.message })
}

/**
 * A decoder of JSON values that tells malformed input from a broken rule, and says which input broke it. Where both occur,
 * the malformed one is told. decisions, section 1.
 */
export const decoder = <A>(
  schema: Schema.Codec<A, unknown>,
  readOnly: Iterable<string> = []
): ((input: unknown) => Result.Result<A, InvalidInput | MalformedInput>) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })
  const readOnlyNames = new Set(readOnly)
  return (input) =>
    Result.mapError(decode(input), (error) =>
      rejectionOf(findingsOf(error.issue, [], input).map((finding) => withReadOnly(finding, readOnlyNames)))
    )
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** Reads a body as JSON; none when it is empty. */
export const parseJson = (bytes: Uint8Array): Result.Result<Option.Option<unknown>, MalformedInput> => {
  if (bytes.byteLength === 0) return Result.succeed(Option.none())
  return Result.try({
    try: () => Option.some<unknown>(JSON.parse(utf8.decode(bytes))),
    catch: () => new MalformedInput({ message: "The body is not well-formed JSON in UTF-8." })
  })
}
