import { DateTime, Predicate } from "effect"

/** The latest instant that a JavaScript date can represent. */
const latestMillis = 8_640_000_000_000_000

/** The instant so many milliseconds after the epoch, or the nearest to it that a date can be. */
export const instantAt = (millis: number): DateTime.Utc =>
  DateTime.makeUnsafe(Math.max(-latestMillis, Math.min(latestMillis, millis)))

/** The instant that a field of a record or command has, if any. */
export const instantIn = (record: unknown, field: string): DateTime.Utc | undefined => {
  const value = Predicate.hasProperty(record, field) ? record[field] : undefined
  return DateTime.isDateTime(value) ? DateTime.toUtc(value) : undefined
}

/**
 * The commands in the order of time, none before `start`: an `at` before `start` is moved to as long after it, so that
 * the spans that guards measure are met from both sides.
 */
export const inOrder = <Command extends object>(
  start: DateTime.Utc | undefined,
  commands: ReadonlyArray<Command>
): ReadonlyArray<Command> => {
  const moved = (at: DateTime.Utc): number => {
    const millis = DateTime.toEpochMillis(at)
    const first = start === undefined ? millis : DateTime.toEpochMillis(start)
    return Math.min(latestMillis, first + Math.abs(millis - first))
  }
  const instants = commands.flatMap((command) => {
    const at = instantIn(command, "at")
    return at === undefined ? [] : [moved(at)]
  })
  instants.sort((one, other) => one - other)
  let next = 0
  return commands.map((command) => {
    const at = instantIn(command, "at") === undefined ? undefined : instants[next++]
    return at === undefined ? command : { ...command, at: DateTime.makeUnsafe(at) }
  })
}

/** Whether an instant is reached, to the millisecond; one that is not set never is. */
export const isReached = (instant: DateTime.Utc | null, at: DateTime.Utc): boolean =>
  instant !== null && DateTime.isLessThanOrEqualTo(instant, at)
