import { Clock, Effect, LogLevel, type Scope } from "effect"
import type { Settings } from "./Settings.ts"

type Chosen = Pick<Settings, "accessLog" | "logFormat" | "logLevel">

type Write = (text: string) => void

/**
 * Collects lines and writes those of one turn of the event loop together: with a system call for each line, a busy
 * server spends a fifth of its time in them. The last lines are written at the end of the scope, and before the process
 * exits for any reason.
 */
const byTurns = (write: Write): Effect.Effect<Write, never, Scope.Scope> => {
  let waiting = ""
  const flush = () => {
    const text = waiting
    waiting = ""
    if (text !== "") write(text)
  }
  const start = Effect.sync((): Write => {
    process.once("exit", flush)
    return (line) => {
      if (waiting === "") setImmediate(flush)
      waiting += `${line}\n`
    }
  })
  return Effect.acquireRelease(start, () =>
    Effect.sync(() => {
      process.off("exit", flush)
      flush()
    })
  )
}

/**
 * Writes a line for each request, as configured, in the form of the other log lines; undefined where the configuration
 * hides such lines, so that they cost nothing. It bypasses the logger, which writes lines one by one.
 */
export const accessLog = Effect.fnUntraced(function* <Line extends object>(
  { accessLog: wanted, logFormat, logLevel }: Chosen,
  summaryOf: (line: Line) => string,
  write: Write = (text) => process.stdout.write(text)
) {
  if (wanted === "off" || LogLevel.isGreaterThan(logLevel, "Info")) return undefined
  const print = yield* byTurns(write)
  const textOf = (line: Line, date: Date): string =>
    logFormat === "json"
      ? JSON.stringify({ message: "Request", level: "INFO", timestamp: date.toISOString(), annotations: line })
      : `[${date.toISOString()}] INFO: ${summaryOf(line)}`
  return (line: Line): Effect.Effect<void> =>
    Effect.map(Clock.currentTimeMillis, (now) => print(textOf(line, new Date(now))))
})
