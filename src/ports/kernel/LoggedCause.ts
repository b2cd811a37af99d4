import { Cause, Effect, Logger, Predicate } from "effect"
import { textAt } from "../../domain/kernel/Text.ts"
import { troubleOf, troubleText } from "./DatabaseTrouble.ts"

/** Classes of SQLSTATE whose messages name tables, columns and constraints, and no values. */
const namesOnly: ReadonlySet<string> = new Set(["08", "0A", "23", "25", "40", "42", "53", "54", "55", "57", "58"])

/** Messages of this class (data exceptions) end in a value, in quotes or after a colon. */
const valuesLast = "22"

/** The database's facts that are logged; `detail`, `where`, `hint` and the query hold values. */
const placeNames = ["table", "column", "constraint"] as const

const deepest = 5

/** An error in a form that may be logged. */
class LoggedError extends Error {
  constructor(name: string, message: string, frames: string, cause: LoggedError | undefined) {
    super(message, cause === undefined ? {} : { cause })
    this.name = name
    this.stack = `${name}: ${message}${frames}`
  }
}

/** The frames of a stack, without its head, which repeats the message. */
const framesOf = (error: object): string => {
  const stack = textAt(error, "stack") ?? ""
  const head = textAt(error, "message") ?? ""
  const at = stack.indexOf(head)
  const rest = at < 0 ? "" : stack.slice(at + head.length)
  return rest
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .map((line) => `\n${line}`)
    .join("")
}

const ofDatabase = (error: object, sqlState: string): string => {
  const sqlClass = sqlState.slice(0, 2)
  const message = textAt(error, "message") ?? ""
  const said = namesOnly.has(sqlClass) ? message : sqlClass === valuesLast ? message.split(/[":]/, 1)[0]?.trim() : ""
  const places = placeNames.flatMap((name) => {
    const place = textAt(error, name)
    return place === undefined ? [] : [`${name} ${place}`]
  })
  return [`SQLSTATE ${sqlState}`, said, places.join(", ")].filter((part) => part !== "").join(": ")
}

const messageOf = (error: object, name: string): string => {
  const code = textAt(error, "code")
  if (code !== undefined && /^[0-9A-Z]{5}$/.test(code) && textAt(error, "severity") !== undefined) {
    return ofDatabase(error, code)
  }
  // Parsers and schemas quote their input.
  const quotes = error instanceof SyntaxError || name === "SchemaError"
  return quotes || !(error instanceof Error) ? "the text is withheld" : error.message
}

/** Whether an error says that the connection was lost, or that there is none: the program's stack tells nothing about it. */
const tellsOfLoss = (error: object): boolean =>
  Predicate.hasProperty(error, "reason") && Predicate.isTagged(error.reason, "ConnectionError")

/** Whether a failure is due to a database that could not be reached, or refused its work in a state that may pass. */
export const isOutage = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => {
    if (Cause.isInterruptReason(reason)) return false
    const error = Cause.isFailReason(reason) ? reason.error : reason.defect
    return Predicate.isObject(error) && (tellsOfLoss(error) || troubleOf(error)?.passes === true)
  })

const messagesOf = (error: LoggedError): ReadonlyArray<string> => [
  ...new Set([error.message, ...(error.cause instanceof LoggedError ? messagesOf(error.cause) : [])])
]

const logged = (error: unknown, depth = 0): LoggedError => {
  if (error instanceof LoggedError) return error
  if (!Predicate.isObject(error)) return new LoggedError("Defect", "it is no error", "", undefined)
  const name = textAt(error, "_tag") ?? textAt(error, "name") ?? "Defect"
  const cause = Predicate.hasProperty(error, "cause") ? error.cause : undefined
  const nested = Predicate.isObject(cause) && depth < deepest ? logged(cause, depth + 1) : undefined
  const trouble = troubleOf(error)
  if (trouble !== undefined) return new LoggedError(name, troubleText(trouble), "", undefined)
  const told = new LoggedError(name, messageOf(error, name), framesOf(error), nested)
  return tellsOfLoss(error) ? new LoggedError(name, messagesOf(told).join(": "), "", undefined) : told
}

/**
 * A cause in a form that may be logged: its errors with their stacks and, for the database's, SQLSTATE, table, column
 * and constraint. Whatever may hold a value of a request or a record is left out. Applied twice, it gives the same.
 * reliability, Secrets and personal data.
 */
export const loggedCause = (cause: Cause.Cause<unknown>): Cause.Cause<unknown> =>
  Cause.fromReasons(
    cause.reasons.map((reason) =>
      Cause.isInterruptReason(reason)
        ? reason
        : Cause.makeDieReason(logged(Cause.isFailReason(reason) ? reason.error : reason.defect))
    )
  )

/** Logs what breaks a piece of work, with a sentence: it stops no other. Only its interruption goes on. */
export const orLogged = <E, R>(work: Effect.Effect<void, E, R>, sentence: string): Effect.Effect<void, E, R> =>
  Effect.catchCause(work, (cause) =>
    Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : Effect.logError(sentence, loggedCause(cause))
  )

/** The first frame of this program's own, which says where a mistake is. */
const placeOf = ({ stack = "" }: LoggedError): string => {
  const own = stack.split("\n").find((line) => /^\s+at /.test(line) && !/node_modules|node:/.test(line))
  return own === undefined ? "" : ` ${own.trim()}`
}

/** A cause in one line: its errors with what caused them and where each arose, without their stacks. */
export const terseCause = (cause: Cause.Cause<unknown>): Cause.Cause<unknown> =>
  Cause.fromReasons(
    loggedCause(cause).reasons.map((reason) => {
      if (!Cause.isDieReason(reason) || !(reason.defect instanceof LoggedError)) return reason
      const said = `${messagesOf(reason.defect).join(": ")}${placeOf(reason.defect)}`
      return Cause.makeDieReason(new LoggedError(reason.defect.name, said.replaceAll(/\s+/g, " "), "", undefined))
    })
  )

/**
 * The same logger, told causes by {@link loggedCause}: what ends a fiber that nobody waits for is logged by the runtime, as it
 * is.
 */
export const discreet = <Output>(logger: Logger.Logger<unknown, Output>): Logger.Logger<unknown, Output> =>
  Logger.make((entry) => logger.log({ ...entry, cause: loggedCause(entry.cause) }))
