import { Cause, Console, Effect, Exit, Option } from "effect"
import { CliError } from "effect/cli"
import { loggedCause } from "../../app/steps/LoggedCause.ts"
import type { CommandFailed } from "./CommandFailed.ts"

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? ""

/** The one sentence that a failure leaves on standard error; none where the command's help has said it. */
const sentenceOf = (cause: Cause.Cause<CommandFailed | CliError.CliError>): Option.Option<string> =>
  Option.match(Cause.findErrorOption(cause), {
    onNone: () =>
      Option.some(
        `Almoner ended because of an error of its own: ${firstLine(Cause.prettyErrors(loggedCause(cause))[0]?.message ?? "unknown")}`
      ),
    onSome: (error) =>
      CliError.isCliError(error) && error._tag === "ShowHelp" ? Option.none() : Option.some(error.message)
  })

const exitWith = (status: number): void => {
  process.stdout.write("", () => process.stderr.write("", () => process.exit(status)))
}

/**
 * Runs the command and ends the process with it: status 0, or 1 after one sentence on standard error. What is written
 * before is written out, and what still listens or waits does not keep the process.
 */
export const main = (command: Effect.Effect<void, CommandFailed | CliError.CliError>): void => {
  const told = Effect.tapCause(command, (cause) =>
    Option.match(sentenceOf(cause), { onNone: () => Effect.void, onSome: (sentence) => Console.error(sentence) })
  )
  Effect.runFork(told).addObserver((exit) => exitWith(Exit.isSuccess(exit) ? 0 : 1))
}
