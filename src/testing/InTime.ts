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

/** The instants of what happens to a record, in the order in which it does. Others are said by somebody, or lie ahead. */
const life = [
  "created_at",
  "sent_at",
  "activated_at",
  "confirmed_at",
  "waiting_since",
  "last_visited_at",
  "viewed_at",
  "last_resent_at",
  "accepted_at",
  "linked_at",
  "failing_since",
  "exhausted_at",
  "rotated_at",
  "passphrase_rotated_at",
  "credentials_rotated_at",
  "last_computed_at",
  "generated_at",
  "refunded_at",
  "succeeded_at",
  "transfers_begun_at",
  "failed_at",
  "ended_at",
  "completed_at",
  "resolved_at",
  "revoked_at",
  "cancelled_at",
  "deactivated_at",
  "archived_at",
  "deleted_at",
  "updated_at"
] as const

/** A record that says when it was made, with its instants in their order from then on. */
export const inLife = <A extends object>(record: A): A => {
  if (instantIn(record, "created_at") === undefined) return record
  const dated = life.flatMap((field) => {
    const at = instantIn(record, field)
    return at === undefined ? [] : [[field, at] as const]
  })
  const instants = dated.map(([, at]) => at).sort(DateTime.Order)
  return Object.assign({}, record, Object.fromEntries(dated.map(([field], index) => [field, instants[index]])))
}
