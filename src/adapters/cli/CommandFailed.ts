import { Schema } from "effect"

/** Why a command failed: the codes of the API, and two of the command line's own, `usage` and `unavailable`. */
export const Code = Schema.Literals([
  "invalid_request",
  "validation_failed",
  "forbidden",
  "not_found",
  "conflict",
  "internal_error",
  /** The invocation cannot be read: its words, its flags or a variable. */
  "usage",
  /** Something that the command needs cannot be used: the database, the key ring, a folder, a port, the running server. */
  "unavailable"
])
export type Code = typeof Code.Type

/** What is told of a failure: as the API's errors, `param` being the input's path, or a variable's name. */
export const Report = Schema.Struct({
  code: Code,
  message: Schema.String,
  param: Schema.optionalKey(Schema.String)
})
export type Report = typeof Report.Type

/**
 * A command ended without doing its work; the message is one sentence for the person who gave it. Without a code it is
 * `unavailable`.
 */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  ...Report.fields,
  code: Schema.optionalKey(Code)
}) {}

/** The failure whose message is its sentence, as that of a command. */
export const failedWith = ({ message }: { readonly message: string }): CommandFailed => new CommandFailed({ message })

/** Another process holds the database, so that a command must ask that one. The message says who holds it. */
export class DatabaseHeld extends Schema.TaggedError<DatabaseHeld>()("DatabaseHeld", { message: Schema.String }) {}

/** What is told of it. */
export const reportOf = ({ code = "unavailable", message, param }: CommandFailed): Report =>
  param === undefined ? { code, message } : { code, message, param }

/** The status that a process ends with: 1 for what was refused, 2 for a wrong invocation, 3 for what could not be done. */
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

/** Whether JSON was asked for: to be known of an invocation that cannot be read, too. */
export const asksForJson = (args: ReadonlyArray<string>): boolean => {
  const end = args.indexOf("--")
  return (end < 0 ? args : args.slice(0, end)).some((word) => word === "--json" || word === "--json=true")
}

/** A failure as it is written on standard error: its sentence, or one object in one line. */
export const written = (report: Report, json: boolean): string =>
  json ? JSON.stringify({ error: report }) : report.message
