import { DateTime, Duration, Effect, HashMap, Option, Result } from "effect"
import { addTime } from "../../domain/kernel/InstantRange.ts"
import { compareCodePoints } from "../../domain/kernel/Text.ts"
import { realNow } from "../../ports/kernel/AheadClock.ts"
import type { Change, Memory } from "./Memory.ts"
import type { RecordTable } from "./Records.ts"
import { aheadMillis, every, type OrganisationRecord, replace, type State } from "./State.ts"

/** The first of each organisation, then the second of each: each with its place within its organisation. */
export const fairOrder = <A extends OrganisationRecord>(
  all: ReadonlyArray<A>,
  millisOf: (each: A) => number
): ReadonlyArray<A> => {
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

/** A record that a worker polls at some time. */
interface Looked extends OrganisationRecord {
  readonly look_at: DateTime.Utc | null
}

/** The time of its next poll; never where it has none. */
export const pollMillis = ({ look_at }: Looked): number =>
  look_at === null ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(look_at)

/** The time by an organisation's clock, where this is the real one. */
export const timeOf = (state: State, now: DateTime.Utc, organisation_id: string): DateTime.Utc =>
  addTime(now, { milliseconds: aheadMillis(state, organisation_id) })

const isHeld = (state: State, now: DateTime.Utc, organisation_id: string): boolean =>
  Option.exists(
    HashMap.get(state.sandboxClocks, organisation_id),
    ({ lease }) => lease !== null && DateTime.isGreaterThan(lease.until, now)
  )

/** Records that wait for the time of their organisation's clock. */
export interface DueRecords<A extends OrganisationRecord> {
  readonly all: (state: State) => ReadonlyArray<A>
  /** When one is due, milliseconds since the epoch; infinite where it never is. */
  readonly millisOf: (each: A) => number
}

/** Those whose time can be moved to the end of a lease. */
export interface Leasable<A extends OrganisationRecord> extends DueRecords<A> {
  readonly leased: (each: A, until: DateTime.Utc) => A
  readonly written: (state: State, each: A) => State
}

/** Records of a table that a worker polls at their `look_at`. */
export const pollQueue = <A extends Looked>(place: Pick<RecordTable<A>, "table" | "with">): Leasable<A> => ({
  all: (state) => every(place.table(state)),
  millisOf: pollMillis,
  leased: (each, look_at) => ({ ...each, look_at }),
  written: (state, each) => place.with(state, replace(place.table(state), each))
})

/** How many are handed out, and whose, where not everybody's. */
interface Claiming {
  readonly limit: number
  readonly only: string | undefined
}

/** Those of one organisation, where it is asked for alone; else of all but those whose clocks somebody moves. */
const meant = <A extends OrganisationRecord>(
  { all }: DueRecords<A>,
  state: State,
  now: DateTime.Utc,
  only: string | undefined
) =>
  all(state).filter(({ organisation_id }) =>
    only === undefined ? !isHeld(state, now, organisation_id) : organisation_id === only
  )

const picked = <A extends OrganisationRecord>(
  awaiting: DueRecords<A>,
  state: State,
  now: DateTime.Utc,
  { limit, only }: Claiming
): ReadonlyArray<A> =>
  fairOrder(
    meant(awaiting, state, now, only).filter(
      (each) => awaiting.millisOf(each) <= DateTime.toEpochMillis(timeOf(state, now, each.organisation_id))
    ),
    awaiting.millisOf
  ).slice(0, limit)

/** The records that are due, at most `limit`, the longest due first, the organisations in turn. */
export const dueInTurn = <A extends OrganisationRecord>(
  memory: Memory["Service"],
  awaiting: DueRecords<A>,
  which: Claiming
) => Effect.flatMap(realNow, (now) => memory.read((state) => picked(awaiting, state, now, which)))

/** Hands out the records that are due, in turn, by moving their time to the end of a lease. */
export const leasedInTurn = <A extends OrganisationRecord>(
  memory: Memory["Service"],
  awaiting: Leasable<A>,
  { lease, ...which }: Claiming & { readonly lease: Duration.Duration }
): Effect.Effect<ReadonlyArray<A>> =>
  Effect.flatMap(realNow, (now) =>
    memory.decide((state): Change<ReadonlyArray<A>, never> => {
      const claimed = picked(awaiting, state, now, which).map((each) =>
        awaiting.leased(each, addTime(timeOf(state, now, each.organisation_id), lease))
      )
      return Result.succeed([claimed, claimed.reduce(awaiting.written, state)])
    })
  )

/** How long until a record is due, of all organisations and of one; none where none is to come. */
export const nextDues = <A extends OrganisationRecord>(memory: Memory["Service"], awaiting: DueRecords<A>) => {
  const nextDueOf = (only?: string): Effect.Effect<Option.Option<Duration.Duration>> =>
    Effect.flatMap(realNow, (now) =>
      memory.read((state) => {
        const first = meant(awaiting, state, now, only).reduce(
          (least, each) =>
            Math.min(least, awaiting.millisOf(each) - DateTime.toEpochMillis(timeOf(state, now, each.organisation_id))),
          Number.POSITIVE_INFINITY
        )
        return Number.isFinite(first) ? Option.some(Duration.millis(Math.max(0, first))) : Option.none()
      })
    )
  return { nextDue: nextDueOf(), nextDueOf }
}

/** Hands out the ids of a table's records that a worker polls, and tells when the next is due. */
export const makeDueRecords = <A extends Looked>(memory: Memory["Service"], awaiting: Leasable<A>) => ({
  claim: (
    limit: number,
    lease: Duration.Duration,
    only?: string
  ): Effect.Effect<ReadonlyArray<{ readonly organisation_id: A["organisation_id"]; readonly id: A["id"] }>> =>
    Effect.map(leasedInTurn(memory, awaiting, { lease, limit, only }), (claimed) =>
      claimed.map(({ id, organisation_id }) => ({ organisation_id, id }))
    ),
  ...nextDues(memory, awaiting)
})
