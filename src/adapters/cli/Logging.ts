import { Layer, Logger, References } from "effect"
import type { Settings } from "./Settings.ts"

type Chosen = Pick<Settings, "logFormat" | "logLevel">

const formats = {
  pretty: Logger.consolePretty(),
  json: Logger.consoleJson
} as const

/** The log of a server: on standard output, as configured. */
export const layer = ({ logFormat, logLevel }: Chosen): Layer.Layer<never> =>
  Layer.merge(Logger.layer([formats[logFormat]]), Layer.succeed(References.MinimumLogLevel, logLevel))

const verbose: ReadonlySet<string> = new Set(["All", "Trace", "Debug"])

/** The log of a command, whose standard output is its result: on standard error, and only what went wrong. */
export const layerCommand = ({ logFormat, logLevel }: Chosen): Layer.Layer<never> =>
  Layer.mergeAll(
    Logger.layer([logFormat === "json" ? Logger.withConsoleError(Logger.formatJson) : formats.pretty]),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(
      References.MinimumLogLevel,
      verbose.has(logLevel) ? logLevel : logLevel === "Info" ? "Warn" : logLevel
    )
  )
