import { Effect, Layer, Logger, LogLevel, References } from "effect"
import { loggedCause } from "../../app/kernel/steps/LoggedCause.ts"
import type { Settings } from "./Settings.ts"

type Chosen = Pick<Settings, "logFormat" | "logLevel">

/** The same logger, which is told nothing that may hold a secret or what somebody wrote. */
const discreet = (logger: Logger.Logger<unknown, void>): Logger.Logger<unknown, void> =>
  Logger.make((entry) => logger.log({ ...entry, cause: loggedCause(entry.cause) }))

const formats = {
  pretty: discreet(Logger.consolePretty()),
  json: discreet(Logger.consoleJson)
} as const

const jsonToStandardError = discreet(Logger.withConsoleError(Logger.formatJson))

/** The log of a server: on standard output, as configured. */
export const layer = ({ logFormat, logLevel }: Chosen): Layer.Layer<never> =>
  Layer.merge(Logger.layer([formats[logFormat]]), Layer.succeed(References.MinimumLogLevel, logLevel))

const verbose: ReadonlySet<string> = new Set(["All", "Trace", "Debug"])

/** The log of a command, whose standard output is its result: on standard error, and only what went wrong. */
export const layerCommand = ({ logFormat, logLevel }: Chosen): Layer.Layer<never> =>
  Layer.mergeAll(
    Logger.layer([logFormat === "json" ? jsonToStandardError : formats.pretty]),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(
      References.MinimumLogLevel,
      verbose.has(logLevel) ? logLevel : logLevel === "Info" ? "Warn" : logLevel
    )
  )

/** The parts of {@link AccessLine} in their order, as one line for people. */
const lineOf = ({ method, ms, organisation_id, request_id, route, status }: AccessLine): string =>
  `${method} ${route} ${status} ${ms} ms ${request_id} ${organisation_id ?? "-"}`

/** What is logged of a request. */
interface AccessLine {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly ms: number
  readonly request_id: string
  readonly organisation_id: string | null
}

/** Writes a line for each request, as configured; undefined where nobody would read it, so that nothing is done for it. */
export const accessLog = ({
  accessLog: wanted,
  logFormat,
  logLevel
}: Chosen & Pick<Settings, "accessLog">): ((line: AccessLine) => Effect.Effect<void>) | undefined => {
  if (wanted === "off" || LogLevel.isGreaterThan(logLevel, "Info")) return undefined
  return logFormat === "json"
    ? (line) => Effect.annotateLogs(Effect.logInfo("Request"), { ...line })
    : (line) => Effect.logInfo(lineOf(line))
}
