import { Clock, Effect, LogLevel, type Scope } from "effect"
import type { Settings } from "./Settings.ts"

type Chosen = Pick<Settings, "accessLog" | "logFormat" | "logLevel">

type Write = (text: string) => void

/**
 * Collects lines and writes those of one turn of the event loop together: a busy server spends a fifth of its time in
 * the system call where each line has one of its own. The last ones are written at the end of the scope, and before the
 * process exits, whatever the reason.
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

/** The local time of day, as the other lines for people have it. */
const timeOf = (date: Date): string =>
  `${date.toTimeString().slice(0, 8)}.${`${date.getMilliseconds()}`.padStart(3, "0")}`

/**
 * Writes a line for each request, as configured, in the form of the other lines of the log; undefined where nobody would
 * read it, so that nothing is done for it. It does not go through the logger, whose lines are written one by one.
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
      : `[${timeOf(date)}] INFO: ${summaryOf(line)}`
  return (line: Line): Effect.Effect<void> =>
    Effect.map(Clock.currentTimeMillis, (now) => print(textOf(line, new Date(now))))
})
