import { DateTime, type Duration, Effect, HashMap, Layer, Queue, Result } from "effect"
import type { Id, TransferAttempt } from "../../../domain/sharing/TransferAttempt.ts"
import { realNow } from "../../../ports/kernel/AheadClock.ts"
import { type DueTransfer, TransferAttemptStore } from "../../../ports/sharing/TransferAttemptStore.ts"
import { type Claiming, dueInTurn, lookMillis, timesOf, untilDue } from "../InTurn.ts"
import { type Change, Memory } from "../Memory.ts"
import { makeRecords } from "../Records.ts"
import { records, replace, type State } from "../State.ts"

const all = (state: State): ReadonlyArray<TransferAttempt> =>
  HashMap.toValues(state.transferAttempts).flatMap((table) => HashMap.toValues(table))

const looked = (state: State, attempt: TransferAttempt, look_at: DateTime.Utc): State => ({
  ...state,
  transferAttempts: replace(state.transferAttempts, { ...attempt, look_at })
})

const claim = (state: State, lease: Duration.Duration, which: Claiming): Change<ReadonlyArray<DueTransfer>, never> => {
  const claimed = dueInTurn(all(state), lookMillis, which)
  const until = ({ organisation_id }: TransferAttempt) => DateTime.addDuration(which.times.of(organisation_id), lease)
  return Result.succeed([
    claimed.map(({ id, organisation_id }) => ({ organisation_id, id })),
    claimed.reduce((next, attempt) => looked(next, attempt, until(attempt)), state)
  ])
}

/** Attempts in memory. The store's clock is Effect's. */
export const layer = Layer.effect(
  TransferAttemptStore,
  Effect.gen(function* () {
    const memory = yield* Memory
    const hints = yield* Queue.sliding<void>(1)
    const raise = memory.afterCommit(Effect.asVoid(Queue.offer(hints, undefined)))
    const kept = makeRecords<TransferAttempt, Id>(memory, {
      table: (state) => state.transferAttempts,
      with: (state, transferAttempts) => ({ ...state, transferAttempts }),
      columns: (attempt) => attempt
    })
    const soonest = (only?: string) =>
      Effect.flatMap(realNow, (now) =>
        memory.read((state) => untilDue(all(state), lookMillis, timesOf(state, now), only))
      )
    return TransferAttemptStore.of({
      ...kept,
      insert: (attempt) => Effect.andThen(kept.insert(attempt), raise),
      now: DateTime.now,
      claim: (limit, lease, only) =>
        Effect.flatMap(realNow, (now) =>
          memory.decide((state) => claim(state, lease, { limit, only, times: timesOf(state, now) }))
        ),
      lookNow: (organisation_id, payment_id) =>
        Effect.andThen(
          Effect.flatMap(realNow, (real) =>
            memory.change((state) => {
              const now = timesOf(state, real).of(organisation_id)
              return Array.from(records(state.transferAttempts, organisation_id))
                .filter((each) => each.payment_id === payment_id && each.looks > 0)
                .filter((each) => each.look_at !== null && lookMillis(each) > DateTime.toEpochMillis(now))
                .reduce((next, each) => looked(next, each, now), state)
            })
          ),
          raise
        ),
      ofAllocation: (organisation_id, allocation_id) =>
        memory.read((state) =>
          Array.from(records(state.transferAttempts, organisation_id)).filter(
            (each) => each.allocation_id === allocation_id
          )
        ),
      nextDue: soonest(),
      nextDueOf: soonest,
      wait: Queue.take(hints)
    })
  })
)
