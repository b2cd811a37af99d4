import { DateTime, Effect, Option, Queue, Result } from "effect"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import type { ListQuery } from "../../../domain/kernel/Listing.ts"
import type { Notice } from "../../../domain/payments/Notice.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { type ConcludedNotice, NoticeStore } from "../../../ports/payments/NoticeStore.ts"
import { type Leasable, leasedInTurn, nextDues } from "../FairQueue.ts"
import { type ListSource, page } from "../ListPage.ts"
import { type Change, storeFrom } from "../Memory.ts"
import { every, get, put, remove, type State } from "../State.ts"

/** Under which notices of no organisation are kept. */
const unclaimed = ""

const keptUnder = ({ organisation_id }: Notice): string => organisation_id ?? unclaimed

const table: ListSource<Notice> = { table: (state) => state.notices, columns: (notice) => notice }

/** A notice with the organisation under which it is kept. */
interface Waiting {
  readonly id: string
  readonly organisation_id: string
  readonly notice: Notice
}

const waiting = (state: State): ReadonlyArray<Waiting> =>
  every(state.notices).map((notice) => ({ id: notice.id, organisation_id: keptUnder(notice), notice }))

const waitingMillis = ({ notice: { apply_at } }: Waiting): number =>
  apply_at === null ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(apply_at)

const written = (state: State, notice: Notice): State => {
  const before = every(state.notices).find(({ id }) => id === notice.id)
  const without = before === undefined ? state.notices : remove(state.notices, keptUnder(before), notice.id)
  return { ...state, notices: put(without, keptUnder(notice), notice.id, notice) }
}

/** Kept for the same integration, or at the address of the processor's own account. */
const isSeen = (state: State, { event_id, integration_id, processor }: Notice): boolean =>
  every(state.notices).some(
    (each) =>
      each.event_id === event_id &&
      (each.integration_id === null ? each.processor === processor : each.integration_id === integration_id)
  )

const add = (state: State, notice: Notice): Change<boolean, never> =>
  Result.succeed(isSeen(state, notice) ? [false, state] : [true, written(state, notice)])

const isAs = (before: Notice, { apply_at, attempts, status }: Notice): boolean =>
  before.status === status &&
  before.attempts === attempts &&
  before.apply_at?.epochMilliseconds === apply_at?.epochMilliseconds

const concluded = (state: State, { after, before }: ConcludedNotice): State =>
  every(state.notices).some((each) => each.id === before.id && isAs(before, each)) ? written(state, after) : state

const awaiting: Leasable<Waiting> = {
  all: waiting,
  millisOf: waitingMillis,
  leased: (each, apply_at) => ({ ...each, notice: { ...each.notice, apply_at } }),
  written: (state, { notice }) => written(state, notice)
}

const trim = (state: State, before: DateTime.Utc, limit: number): Change<number, never> => {
  const old = every(state.notices)
    .filter(({ apply_at, created_at }) => apply_at === null && DateTime.isLessThanOrEqualTo(created_at, before))
    .slice(0, limit)
  const notices = old.reduce((left, notice) => remove(left, keptUnder(notice), notice.id), state.notices)
  return Result.succeed([old.length, { ...state, notices }])
}

/** Notices in memory. The store's clock is Effect's. */
export const layer = storeFrom(NoticeStore, function* (memory) {
  const hints = yield* Queue.sliding<void>(1)
  const raise = memory.afterCommit(Effect.asVoid(Queue.offer(hints, undefined)))
  const list = (organisation_id: OrganisationId | "", query: ListQuery) =>
    Effect.flatten(memory.read((state) => page(table, state, organisation_id, query)))
  return {
    find: (organisation_id, id) => memory.read((state) => get(state.notices, organisation_id, id)),
    list,
    unclaimed: (query) => list(unclaimed, query),
    now: organisationNow,
    add: (notice) =>
      Effect.tap(
        memory.decide((state) => add(state, notice)),
        (isNew) => (isNew ? raise : Effect.void)
      ),
    hold: (id) => memory.read((state) => Option.fromNullishOr(every(state.notices).find((each) => each.id === id))),
    update: (notice) =>
      Effect.andThen(
        memory.change((state) =>
          every(state.notices).some(({ id }) => id === notice.id) ? written(state, notice) : state
        ),
        notice.apply_at === null ? Effect.void : raise
      ),
    conclude: (changes) =>
      Effect.andThen(
        memory.change((state) => changes.reduce(concluded, state)),
        changes.some(({ after }) => after.apply_at !== null) ? raise : Effect.void
      ),
    claim: (limit, lease, only) =>
      Effect.map(leasedInTurn(memory, awaiting, { lease, limit, only }), (claimed) =>
        claimed.map(({ notice }) => notice)
      ),
    trim: (before, limit) => memory.decide((state) => trim(state, before, limit)),
    ...nextDues(memory, awaiting),
    wait: Queue.take(hints)
  }
})
