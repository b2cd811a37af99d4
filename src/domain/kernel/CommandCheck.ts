import { Predicate, Result, Schema, type SchemaIssue } from "effect"
import { expectationOf } from "./Expectation.ts"
import { Rejection } from "./Rejection.ts"

/**
 * A command that is none of its machine's, or that carries a value outside its schema. `param` is the path of the value:
 * `amount_cents`, `_tag` where there is no such command.
 */
export class InvalidCommand extends Rejection.extend<InvalidCommand>("InvalidCommand")({
  _tag: Schema.tag("InvalidCommand"),
  machine: Schema.String,
  command: Schema.String,
  param: Schema.String,
  message: Schema.String
}) {}

type Path = ReadonlyArray<PropertyKey>

const textOf = (path: Path): string =>
  path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`),
    ""
  )

const valueAt = (input: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, key) => (Predicate.hasProperty(value, key) ? value[key] : undefined), input)

interface Fault {
  readonly path: Path
  readonly message: string
}

const said = (path: Path, why: string): Fault => ({ path, message: `${textOf(path)} ${why}.` })

/** The first fault of a value, as the place and what must be there instead; it repeats nothing of the value. */
const faultOf = (issue: SchemaIssue.Issue, path: Path, input: unknown): Fault => {
  switch (issue._tag) {
    case "Pointer":
      return faultOf(issue.issue, [...path, ...issue.path], input)
    case "Composite":
      return faultOf(issue.issues[0], path, input)
    case "AnyOf": {
      const [first] = issue.issues
      return first === undefined ? said(path, "must be one of its values") : faultOf(first, path, input)
    }
    case "Filter":
      return said(path, expectationOf(issue, valueAt(input, path)))
    case "MissingKey":
      return said(path, "is missing")
    case "InvalidType":
      return said(path, "is of the wrong type")
    default:
      return said(path, "is not valid")
  }
}

const nothingWrong: Fault = { path: [], message: "" }

/**
 * A check of commands, compiled from their schema when the first command comes: null, or the refusal of a command that is
 * not the machine's.
 * @example
 * const check = CommandCheck.commandCheck("Pledge", ["Pay"], Schema.TaggedUnion({ Pay: { cents: Schema.Int } }))
 * check({ _tag: "Pay", cents: 500 }) // => null
 * check({ _tag: "Pay", cents: 0.5 })?.param // => "cents"
 */
export const commandCheck = <Command extends { readonly _tag: string }>(
  machine: string,
  tags: ReadonlyArray<string>,
  schema: Schema.Schema<Command>
): ((command: Command) => InvalidCommand | null) => {
  let is: ((command: unknown) => boolean) | undefined
  const refuse = (command: Command): InvalidCommand => {
    const given = valueAt(command, ["_tag"])
    // Of what is no text only its type is told: not every value has a text.
    const tag = Predicate.isString(given) ? given : typeof given
    const decoded = Schema.decodeUnknownResult(Schema.toType(schema))(command)
    const { message, path } = Result.isFailure(decoded) ? faultOf(decoded.failure.issue, [], command) : nothingWrong
    const fault =
      path.length === 0
        ? { param: "_tag", message: `_tag must be one of ${tags.join(", ")}.` }
        : { param: textOf(path), message }
    return new InvalidCommand({ machine, command: tag, ...fault })
  }
  return (command) => {
    is ??= Schema.is(schema)
    return is(command) ? null : refuse(command)
  }
}
