import { DateTime, Effect, HashMap, Layer, Queue } from "effect"
import type { Id, TransferAttempt } from "../../../domain/sharing/TransferAttempt.ts"
import { realNow } from "../../../ports/kernel/AheadClock.ts"
import { type DueTransfer, TransferAttemptStore } from "../../../ports/sharing/TransferAttemptStore.ts"
import { type Leasable, leasedInTurn, nextDues, pollMillis, timeOf } from "../FairQueue.ts"
import { Memory } from "../Memory.ts"
import { makeRecords } from "../Records.ts"
import { records, replace, type State } from "../State.ts"

const all = (state: State): ReadonlyArray<TransferAttempt> =>
  HashMap.toValues(state.transferAttempts).flatMap((table) => HashMap.toValues(table))

const awaiting: Leasable<TransferAttempt> = {
  all,
  millisOf: pollMillis,
  leased: (attempt, look_at) => ({ ...attempt, look_at }),
  written: (state, attempt) => ({ ...state, transferAttempts: replace(state.transferAttempts, attempt) })
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
    return TransferAttemptStore.of({
      ...kept,
      insert: (attempt) => Effect.andThen(kept.insert(attempt), raise),
      now: DateTime.now,
      claim: (limit, lease, only) =>
        Effect.map(
          leasedInTurn(memory, awaiting, { lease, limit, only }),
          (claimed): ReadonlyArray<DueTransfer> => claimed.map(({ id, organisation_id }) => ({ organisation_id, id }))
        ),
      lookNow: (organisation_id, payment_id) =>
        Effect.andThen(
          Effect.flatMap(realNow, (real) =>
            memory.change((state) => {
              const now = timeOf(state, real, organisation_id)
              return Array.from(records(state.transferAttempts, organisation_id))
                .filter((each) => each.payment_id === payment_id && each.looks > 0)
                .filter((each) => each.look_at !== null && pollMillis(each) > DateTime.toEpochMillis(now))
                .reduce((next, each) => awaiting.written(next, { ...each, look_at: now }), state)
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
      ...nextDues(memory, awaiting),
      wait: Queue.take(hints)
    })
  })
)
