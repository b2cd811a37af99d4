import { Cause, Console, Effect, Option, Schema } from "effect"
import { CliError } from "effect/cli"
import { DatabaseUnusable, troubleOfCause } from "../../ports/kernel/DatabaseTrouble.ts"
import { loggedCause } from "../../ports/kernel/LoggedCause.ts"

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

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? ""

const ofItsOwn = (cause: Cause.Cause<unknown>): Report => ({
  code: "internal_error",
  message: `Almoner ended because of an error of its own: ${firstLine(Cause.prettyErrors(loggedCause(cause))[0]?.message ?? "unknown")}`
})

/** The exit status of a failure, and its report; the report is null where the command's presenter has printed it. */
const endOf = (
  cause: Cause.Cause<CommandFailed | CliError.CliError>
): { readonly status: number; readonly report: Report | null } =>
  Option.match(Cause.findErrorOption(cause), {
    onNone: () => {
      const trouble = troubleOfCause(cause)
      const report = trouble === undefined ? ofItsOwn(cause) : reportOf(failedWith(new DatabaseUnusable(trouble)))
      return { status: exitStatusOf(report.code), report }
    },
    onSome: (error) => {
      if (!CliError.isCliError(error)) {
        const report = reportOf(error)
        return { status: exitStatusOf(report.code), report }
      }
      const report: Report | null = error._tag === "ShowHelp" ? null : { code: "usage", message: error.message }
      return { status: exitStatusOf("usage"), report }
    }
  })

/**
 * Runs the command and returns the exit status: 0, or that of the failure, which is reported on standard error in one
 * sentence, or as one object where the arguments ask for JSON.
 */
export const toStatus = (
  command: Effect.Effect<void, CommandFailed | CliError.CliError>,
  args: ReadonlyArray<string>
): Effect.Effect<number> =>
  command.pipe(
    Effect.as(0),
    Effect.catchCause((cause) => {
      const { report, status } = endOf(cause)
      return Effect.as(report === null ? Effect.void : Console.error(failureText(report, asksForJson(args))), status)
    })
  )

const exitWith = (status: number): void => {
  process.stdout.write("", () => process.stderr.write("", () => process.exit(status)))
}

/**
 * Runs the command and ends the process with its status. Output is flushed first; open sockets and timers do not keep
 * the process.
 */
export const main = (
  command: Effect.Effect<void, CommandFailed | CliError.CliError>,
  args: ReadonlyArray<string>
): void => {
  Effect.runFork(toStatus(command, args)).addObserver((exit) => exitWith(exit._tag === "Success" ? exit.value : 3))
}
