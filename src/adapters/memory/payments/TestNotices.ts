import { DateTime, Duration, Effect, HashMap, Option, Queue, Result } from "effect"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { nextActAt } from "../../../domain/payments/TestBank.ts"
import type { TestCharge } from "../../../domain/payments/TestCharge.ts"
import type { TestNotice } from "../../../domain/payments/TestNotice.ts"
import type { TestBank } from "../../../ports/payments/TestBank.ts"
import { inTurn } from "../InTurn.ts"
import type { Change, Memory } from "../Memory.ts"
import { put, records, remove, replace, type State, type Table } from "../State.ts"

type Store = TestBank["Service"]

const all = <A>(table: Table<A>): ReadonlyArray<A> =>
  HashMap.toValues(table).flatMap((ofOne) => HashMap.toValues(ofOne))

const millisOf = (at: DateTime.Utc | null): number =>
  at === null ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(at)

const sendMillis = ({ send_at }: TestNotice): number => millisOf(send_at)
const actMillis = (charge: TestCharge): number => millisOf(nextActAt(charge))

const claim = (
  state: State,
  limit: number,
  lease: Duration.Duration,
  now: DateTime.Utc
): Change<ReadonlyArray<TestNotice>, never> => {
  const due = all(state.testNotices).filter((notice) => sendMillis(notice) <= DateTime.toEpochMillis(now))
  const claimed = inTurn(due, sendMillis).slice(0, limit)
  const send_at = DateTime.addDuration(now, lease)
  const testNotices = claimed.reduce((table, notice) => replace(table, { ...notice, send_at }), state.testNotices)
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
  const store: Pick<
    Store,
    "due" | "addNotices" | "claimNotices" | "setSends" | "noticesAfter" | "trimNotices" | "nextDue" | "wait"
  > = {
    due: (limit) =>
      Effect.flatMap(DateTime.now, (now) =>
        memory.read((state) => {
          const due = all(state.testCharges).filter((charge) => actMillis(charge) <= DateTime.toEpochMillis(now))
          return inTurn(due, actMillis).slice(0, limit)
        })
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
    claimNotices: (limit, lease) =>
      Effect.flatMap(DateTime.now, (now) => memory.decide((state) => claim(state, limit, lease, now))),
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
    nextDue: Effect.flatMap(DateTime.now, (now) =>
      memory.read((state) => {
        const next = Math.min(...all(state.testCharges).map(actMillis), ...all(state.testNotices).map(sendMillis))
        const left = Math.max(0, next - DateTime.toEpochMillis(now))
        return Number.isFinite(next) ? Option.some(Duration.millis(left)) : Option.none()
      })
    ),
    wait: Queue.take(hints)
  }
  return store
})
