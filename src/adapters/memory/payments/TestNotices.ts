import { DateTime, Duration, Effect, HashMap, Option, Queue, Result } from "effect"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { nextActAt } from "../../../domain/payments/TestBank.ts"
import type { TestCharge } from "../../../domain/payments/TestCharge.ts"
import type { TestNotice } from "../../../domain/payments/TestNotice.ts"
import type { TestBankActs } from "../../../ports/payments/TestBank.ts"
import { type DueRecords, dueInTurn, type Leasable, leasedInTurn, nextDues } from "../FairQueue.ts"
import type { Change, Memory } from "../Memory.ts"
import { put, remove, replace, type State, type Table, where } from "../State.ts"

const all = <A>(table: Table<A>): ReadonlyArray<A> =>
  HashMap.toValues(table).flatMap((ofOne) => HashMap.toValues(ofOne))

const millisOf = (at: DateTime.Utc | null): number =>
  at === null ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(at)

const sending: Leasable<TestNotice> = {
  all: ({ testNotices }) => all(testNotices),
  millisOf: ({ send_at }) => millisOf(send_at),
  leased: (notice, send_at) => ({ ...notice, send_at }),
  written: (state, notice) => ({ ...state, testNotices: replace(state.testNotices, notice) })
}

const acting: DueRecords<TestCharge> = {
  all: ({ testCharges }) => all(testCharges),
  millisOf: (charge) => millisOf(nextActAt(charge))
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

export const makeTestNotices = Effect.fnUntraced(function* (memory: Memory["Service"]) {
  const hints = yield* Queue.sliding<void>(1)
  const raise = memory.afterCommit(Effect.asVoid(Queue.offer(hints, undefined)))
  const [sends, acts] = [nextDues(memory, sending), nextDues(memory, acting)]
  const soonest = (only?: OrganisationId) =>
    Effect.zipWith(sends.nextDueOf(only), acts.nextDueOf(only), (...both) =>
      Option.fromUndefinedOr(both.flatMap(Option.toArray).toSorted(Duration.Order)[0])
    )
  const store: TestBankActs = {
    due: (limit, only) =>
      Effect.map(dueInTurn(memory, acting, { limit, only }), (all) =>
        all.map(({ id, organisation_id }) => ({ organisation_id, id }))
      ),
    addNotices: (notices) =>
      Effect.andThen(
        memory.changeTable("testNotices", (testNotices) =>
          notices.reduce((table, each) => put(table, each.organisation_id, each.id, each), testNotices)
        ),
        raise
      ),
    claimNotices: (limit, lease, only) => leasedInTurn(memory, sending, { lease, limit, only }),
    setSends: (notices) => memory.change((state) => notices.reduce(sending.written, state)),
    noticesAfter: ({ id: integration_id, organisation_id }, after, limit) =>
      memory.read((state) =>
        where(state.testNotices, organisation_id, (notice) => notice.integration_id === integration_id)
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
