import { Cause, Console, Effect, Option } from "effect"
import { CliError } from "effect/cli"
import { DatabaseUnusable, troubleOfCause } from "../../ports/kernel/DatabaseTrouble.ts"
import { loggedCause } from "../../ports/kernel/LoggedCause.ts"
import {
  asksForJson,
  type CommandFailed,
  exitStatusOf,
  failedWith,
  failureText,
  type Report,
  reportOf
} from "./CommandFailed.ts"

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
