import { Cause, Layer, Logger, References } from "effect"
import { discreet, terseCause } from "../../ports/kernel/LoggedCause.ts"
import type { Settings } from "./Settings.ts"

type Chosen = Pick<Settings, "logFormat" | "logLevel">

const pretty = Logger.consolePretty({ formatDate: (date) => date.toISOString() })

/** An entry in one line: its message, what caused it, and its annotations. */
const formatLine = Logger.make<unknown, string>(({ cause, date, fiber, logLevel, message }) => {
  const why = cause.reasons.length === 0 ? [] : [Cause.pretty(terseCause(cause)).replaceAll("\n", "; ")]
  const said = [[message].flat().join(" "), ...why].filter((part) => part !== "").join(": ")
  const notes = Object.entries(fiber.getRef(References.CurrentLogAnnotations)).map(
    ([name, value]) => `${name}=${value}`
  )
  return [`[${date.toISOString()}] ${logLevel.toUpperCase()}: ${said}`, ...notes].join(" ")
})

const verbose: ReadonlySet<string> = new Set(["All", "Trace", "Debug"])

/** With the cause as a field of its own. */
const apart = <Output>(logger: Logger.Logger<unknown, Output>): Logger.Logger<unknown, Output> =>
  Logger.make((entry) => logger.log({ ...entry, cause: terseCause(entry.cause) }))

type Print = <Message>(format: Logger.Logger<Message, string>) => Logger.Logger<Message, void>

/** An entry is one line; stacks are told to who asks for details only. */
const loggerOf = ({ logFormat, logLevel }: Chosen, print: Print): Layer.Layer<never> => {
  const isVerbose = verbose.has(logLevel)
  const people = isVerbose ? discreet(pretty) : print(formatLine)
  return Logger.layer([logFormat === "json" ? print((isVerbose ? discreet : apart)(Logger.formatJson)) : people])
}

/** The log of a server: on standard output, as configured. */
export const layer = (chosen: Chosen): Layer.Layer<never> =>
  Layer.merge(loggerOf(chosen, Logger.withConsoleLog), Layer.succeed(References.MinimumLogLevel, chosen.logLevel))

/** The log of a command: on standard error, since standard output is its result, and only warnings and errors. */
export const layerCommand = (chosen: Chosen): Layer.Layer<never> =>
  Layer.mergeAll(
    loggerOf(chosen, Logger.withConsoleError),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(
      References.MinimumLogLevel,
      verbose.has(chosen.logLevel) ? chosen.logLevel : chosen.logLevel === "Info" ? "Warn" : chosen.logLevel
    )
  )
