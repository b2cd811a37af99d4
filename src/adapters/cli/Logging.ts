import { Layer, Logger, References } from "effect"
import { discreet } from "../../ports/kernel/LoggedCause.ts"
import type { Settings } from "./Settings.ts"

type Chosen = Pick<Settings, "logFormat" | "logLevel">

const formats = {
  pretty: discreet(Logger.consolePretty()),
  json: discreet(Logger.consoleJson)
} as const

const jsonToStandardError = discreet(Logger.withConsoleError(Logger.formatJson))

/** The log of a server: on standard output, as configured. */
export const layer = ({ logFormat, logLevel }: Chosen): Layer.Layer<never> =>
  Layer.merge(Logger.layer([formats[logFormat]]), Layer.succeed(References.MinimumLogLevel, logLevel))

const verbose: ReadonlySet<string> = new Set(["All", "Trace", "Debug"])

/** The log of a command: on standard error, since standard output is its result, and only warnings and errors. */
export const layerCommand = ({ logFormat, logLevel }: Chosen): Layer.Layer<never> =>
  Layer.mergeAll(
    Logger.layer([logFormat === "json" ? jsonToStandardError : formats.pretty]),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(
      References.MinimumLogLevel,
      verbose.has(logLevel) ? logLevel : logLevel === "Info" ? "Warn" : logLevel
    )
  )
