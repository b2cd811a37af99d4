import { Schema } from "effect"

/** The codes of a command's failures: those of the API, and two of the command line's own, `usage` and `unavailable`. */
export const Code = Schema.Literals([
  "invalid_request",
  "validation_failed",
  "forbidden",
  "not_found",
  "conflict",
  "rate_limited",
  "internal_error",
  /** The invocation cannot be read: its words, its flags or a variable. */
  "usage",
  /** Something that the command needs cannot be used: the database, the keys, a folder, a port, the running server. */
  "unavailable"
])
export type Code = typeof Code.Type

/** The report of a failure, like the API's errors; `param` is the input's path, or a variable's name. */
export const Report = Schema.Struct({
  code: Code,
  message: Schema.String,
  param: Schema.optionalKey(Schema.String)
})
export type Report = typeof Report.Type

/** A command ended without doing its work; the message is for whoever ran it. Without a code it is `unavailable`. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  ...Report.fields,
  code: Schema.optionalKey(Code)
}) {}

/** A command's failure with another failure's message, which is a sentence. */
export const failedWith = ({ message }: { readonly message: string }): CommandFailed => new CommandFailed({ message })

/** Another process holds the database, so that a command must ask that one. The message says who holds it. */
export class DatabaseInUse extends Schema.TaggedError<DatabaseInUse>()("DatabaseHeld", { message: Schema.String }) {}

/** The report of a failure. */
export const reportOf = ({ code = "unavailable", message, param }: CommandFailed): Report =>
  param === undefined ? { code, message } : { code, message, param }

/** The exit status of the process: 1 for a refusal, 2 for a wrong invocation, 3 where something failed. */
export const exitStatusOf = (code: Code): 1 | 2 | 3 => {
  switch (code) {
    case "usage":
      return 2
    case "unavailable":
    case "internal_error":
      return 3
    default:
      return 1
  }
}

/** Whether the arguments ask for JSON, even where they cannot be parsed otherwise. */
export const asksForJson = (args: ReadonlyArray<string>): boolean => {
  const end = args.indexOf("--")
  return (end < 0 ? args : args.slice(0, end)).some((word) => word === "--json" || word === "--json=true")
}

/** A failure as it is written on standard error: its sentence, or one JSON object on one line. */
export const failureText = (report: Report, json: boolean): string =>
  json ? JSON.stringify({ error: report }) : report.message
