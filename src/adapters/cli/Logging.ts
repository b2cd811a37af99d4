import { Cause, Layer, Logger, References } from "effect"
import { discreet, terseCause } from "../../ports/kernel/LoggedCause.ts"
import type { Settings } from "./Settings.ts"

type Chosen = Pick<Settings, "logFormat" | "logLevel">

const pretty = Logger.consolePretty({ formatDate: (date) => date.toISOString() })

const jsonToStandardError = Logger.withConsoleError(Logger.formatJson)

const verbose: ReadonlySet<string> = new Set(["All", "Trace", "Debug"])

/** The message with its cause behind it. */
const inOneLine = <Output>(logger: Logger.Logger<unknown, Output>): Logger.Logger<unknown, Output> =>
  Logger.make((entry) => {
    if (entry.cause.reasons.length === 0) return logger.log(entry)
    const said = [entry.message].flat().join(" ")
    const why = Cause.pretty(terseCause(entry.cause)).replaceAll("\n", "; ")
    return logger.log({ ...entry, message: said === "" ? why : `${said}: ${why}`, cause: Cause.empty })
  })

/** With the cause as a field of its own. */
const apart = <Output>(logger: Logger.Logger<unknown, Output>): Logger.Logger<unknown, Output> =>
  Logger.make((entry) => logger.log({ ...entry, cause: terseCause(entry.cause) }))

/** An entry is one line; stacks are told to who asks for details only. */
const loggerOf = ({ logFormat, logLevel }: Chosen, json: Logger.Logger<unknown, void>): Layer.Layer<never> => {
  const isVerbose = verbose.has(logLevel)
  return Logger.layer([
    logFormat === "json" ? (isVerbose ? discreet : apart)(json) : (isVerbose ? discreet : inOneLine)(pretty)
  ])
}

/** The log of a server: on standard output, as configured. */
export const layer = (chosen: Chosen): Layer.Layer<never> =>
  Layer.merge(loggerOf(chosen, Logger.consoleJson), Layer.succeed(References.MinimumLogLevel, chosen.logLevel))

/** The log of a command: on standard error, since standard output is its result, and only warnings and errors. */
export const layerCommand = (chosen: Chosen): Layer.Layer<never> =>
  Layer.mergeAll(
    loggerOf(chosen, jsonToStandardError),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(
      References.MinimumLogLevel,
      verbose.has(chosen.logLevel) ? chosen.logLevel : chosen.logLevel === "Info" ? "Warn" : chosen.logLevel
    )
  )
