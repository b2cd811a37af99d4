import { DateTime, Duration, HashMap, Option } from "effect"
import { compareCodePoints } from "../../domain/kernel/Text.ts"
import { aheadMillis, type State } from "./State.ts"

interface Owned {
  readonly id: string
  readonly organisation_id: string
}

/** The first of each organisation, then the second of each: each with its place within its organisation. */
export const inTurn = <A extends Owned>(all: ReadonlyArray<A>, millisOf: (each: A) => number): ReadonlyArray<A> => {
  const places = new Map<string, number>()
  const earliest = (a: A, b: A) => millisOf(a) - millisOf(b) || compareCodePoints(a.id, b.id)
  return all
    .toSorted(earliest)
    .map((each) => {
      const place = places.get(each.organisation_id) ?? 0
      places.set(each.organisation_id, place + 1)
      return { each, place }
    })
    .toSorted((a, b) => a.place - b.place || earliest(a.each, b.each))
    .map(({ each }) => each)
}

/** A record that a worker looks at, at some time. */
interface Looked extends Owned {
  readonly look_at: DateTime.Utc | null
}

/** When it is looked at; never where it is not. */
export const lookMillis = ({ look_at }: Looked): number =>
  look_at === null ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(look_at)

/** Tells the time by organisations' clocks, and whether somebody moves one. */
export interface Times {
  readonly of: (organisation_id: string) => DateTime.Utc
  readonly isHeld: (organisation_id: string) => boolean
}

/** The times of organisations, where this is the real one. */
export const timesOf = (state: State, now: DateTime.Utc): Times => ({
  of: (organisation_id) => DateTime.add(now, { milliseconds: aheadMillis(state, organisation_id) }),
  isHeld: (organisation_id) =>
    Option.exists(
      HashMap.get(state.sandboxClocks, organisation_id),
      ({ lease }) => lease !== null && DateTime.isGreaterThan(lease.until, now)
    )
})

/** Whose it is, where one organisation's is asked for alone; else nobody's whose clock somebody moves. */
const isMeant =
  (times: Times, only: string | undefined) =>
  ({ organisation_id }: Owned): boolean =>
    only === undefined ? !times.isHeld(organisation_id) : organisation_id === only

/** How many are handed out, and whose, where not everybody's. */
export interface Claiming {
  readonly limit: number
  readonly only?: string | undefined
  readonly times: Times
}

/** What is due by its organisation's clock, at most `limit`, the longest due first, the organisations in turn. */
export const dueInTurn = <A extends Owned>(
  all: ReadonlyArray<A>,
  millisOf: (each: A) => number,
  { limit, only, times }: Claiming
): ReadonlyArray<A> =>
  inTurn(
    all
      .filter(isMeant(times, only))
      .filter((each) => millisOf(each) <= DateTime.toEpochMillis(times.of(each.organisation_id))),
    millisOf
  ).slice(0, limit)

/** How long until one is due by its organisation's clock; none where none is to come. */
export const untilDue = <A extends Owned>(
  all: ReadonlyArray<A>,
  millisOf: (each: A) => number,
  times: Times,
  only?: string
): Option.Option<Duration.Duration> => {
  const first = all
    .filter(isMeant(times, only))
    .reduce(
      (least, each) => Math.min(least, millisOf(each) - DateTime.toEpochMillis(times.of(each.organisation_id))),
      Number.POSITIVE_INFINITY
    )
  return Number.isFinite(first) ? Option.some(Duration.millis(Math.max(0, first))) : Option.none()
}
