import { DateTime, Duration, Effect, HashMap, Option, Queue, Result } from "effect"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { nextActAt } from "../../../domain/payments/TestBank.ts"
import type { TestCharge } from "../../../domain/payments/TestCharge.ts"
import type { TestNotice } from "../../../domain/payments/TestNotice.ts"
import { realNow } from "../../../ports/kernel/AheadClock.ts"
import type { TestBank } from "../../../ports/payments/TestBank.ts"
import { type Claiming, dueInTurn, timesOf, untilDue } from "../InTurn.ts"
import type { Change, Memory } from "../Memory.ts"
import { put, records, remove, replace, type State, type Table } from "../State.ts"

type Store = TestBank["Service"]

const all = <A>(table: Table<A>): ReadonlyArray<A> =>
  HashMap.toValues(table).flatMap((ofOne) => HashMap.toValues(ofOne))

const millisOf = (at: DateTime.Utc | null): number =>
  at === null ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(at)

const sendMillis = ({ send_at }: TestNotice): number => millisOf(send_at)
const actMillis = (charge: TestCharge): number => millisOf(nextActAt(charge))

const claim = (state: State, lease: Duration.Duration, which: Claiming): Change<ReadonlyArray<TestNotice>, never> => {
  const claimed = dueInTurn(all(state.testNotices), sendMillis, which)
  const leased = (notice: TestNotice): TestNotice => ({
    ...notice,
    send_at: DateTime.addDuration(which.times.of(notice.organisation_id), lease)
  })
  const testNotices = claimed.reduce((table, notice) => replace(table, leased(notice)), state.testNotices)
  return Result.succeed([claimed, { ...state, testNotices }])
}

const trim = (state: State, before: DateTime.Utc, limit: number): Change<number, never> => {
  const old = all(state.testNotices)
    .filter(({ created_at, send_at }) => send_at === null && DateTime.isLessThanOrEqualTo(created_at, before))
    .slice(0, limit)
  const testNotices = old.reduce(
    (left, { id, organisation_id }) => remove(left, organisation_id, id),
    state.testNotices
  )
  return Result.succeed([old.length, { ...state, testNotices }])
}

const byAge = (a: TestNotice, b: TestNotice): number =>
  millisOf(a.created_at) - millisOf(b.created_at) || compareCodePoints(a.id, b.id)

/** What the simulated bank does by itself, and its notices, in memory. */
export const makeTestNotices = Effect.fnUntraced(function* (memory: Memory["Service"]) {
  const hints = yield* Queue.sliding<void>(1)
  const raise = memory.afterCommit(Effect.asVoid(Queue.offer(hints, undefined)))
  const soonest = (only?: string) =>
    Effect.flatMap(realNow, (now) =>
      memory.read((state) => {
        const times = timesOf(state, now)
        const both = [
          untilDue(all(state.testCharges), actMillis, times, only),
          untilDue(all(state.testNotices), sendMillis, times, only)
        ]
        return Option.fromUndefinedOr(both.flatMap(Option.toArray).toSorted(Duration.Order)[0])
      })
    )
  const store: Pick<
    Store,
    | "due"
    | "addNotices"
    | "claimNotices"
    | "setSends"
    | "noticesAfter"
    | "trimNotices"
    | "nextDue"
    | "nextDueOf"
    | "wait"
  > = {
    due: (limit, only) =>
      Effect.flatMap(realNow, (now) =>
        memory.read((state) =>
          dueInTurn(all(state.testCharges), actMillis, { limit, only, times: timesOf(state, now) })
        )
      ),
    addNotices: (notices) =>
      Effect.andThen(
        memory.change((state) => ({
          ...state,
          testNotices: notices.reduce(
            (table, each) => put(table, each.organisation_id, each.id, each),
            state.testNotices
          )
        })),
        raise
      ),
    claimNotices: (limit, lease, only) =>
      Effect.flatMap(realNow, (now) =>
        memory.decide((state) => claim(state, lease, { limit, only, times: timesOf(state, now) }))
      ),
    setSends: (notice) => memory.change((state) => ({ ...state, testNotices: replace(state.testNotices, notice) })),
    noticesAfter: ({ id: integration_id, organisation_id }, after, limit) =>
      memory.read((state) =>
        Array.from(records(state.testNotices, organisation_id))
          .filter((notice) => notice.integration_id === integration_id)
          .toSorted(byAge)
          .filter(
            ({ created_at, id }) =>
              millisOf(created_at) > millisOf(after.created_at) ||
              (millisOf(created_at) === millisOf(after.created_at) && compareCodePoints(id, after.id) > 0)
          )
          .slice(0, limit)
      ),
    trimNotices: (before, limit) => memory.decide((state) => trim(state, before, limit)),
    nextDue: soonest(),
    nextDueOf: soonest,
    wait: Queue.take(hints)
  }
  return store
})
