import { Console, Effect } from "effect"
import * as Logging from "../../src/adapters/cli/Logging.ts"
import { settingsFrom } from "../../src/adapters/cli/Settings.ts"

type Environment = Readonly<Record<string, string>>

export const settingsOf = (environment: Environment) => Effect.runSync(settingsFrom(environment))

/** The logger's line for a message, with the settings of an environment. */
export const printedBy = (environment: Environment, message: Effect.Effect<void>): string => {
  const printed: Array<string> = []
  const recording: Console.Console = { ...console, log: (text) => void printed.push(text) }
  const logged = Effect.provide(message, Logging.layer(settingsOf(environment)))
  Effect.runSync(Effect.provideService(logged, Console.Console, recording))
  return printed.join("\n")
}
