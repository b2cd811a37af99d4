import { DateTime, Duration, Option } from "effect"
import { compareCodePoints } from "../../domain/kernel/Text.ts"

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

/** The records that are due, at most `limit`, the longest due first, the organisations in turn. */
export const dueInTurn = <A extends Looked>(
  all: ReadonlyArray<A>,
  limit: number,
  now: DateTime.Utc
): ReadonlyArray<A> =>
  inTurn(
    all.filter((each) => lookMillis(each) <= DateTime.toEpochMillis(now)),
    lookMillis
  ).slice(0, limit)

/** How long until a record is due; none where none is looked at. */
export const untilDue = (all: ReadonlyArray<Looked>, now: DateTime.Utc): Option.Option<Duration.Duration> => {
  const first = all.reduce((least, each) => Math.min(least, lookMillis(each)), Number.POSITIVE_INFINITY)
  return Number.isFinite(first)
    ? Option.some(Duration.millis(Math.max(0, first - DateTime.toEpochMillis(now))))
    : Option.none()
}
