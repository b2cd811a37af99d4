import { DateTime, Duration, Effect, HashMap, Layer, Option, Queue, Result } from "effect"
import type { Id, TransferAttempt } from "../../../domain/sharing/TransferAttempt.ts"
import { type DueTransfer, TransferAttemptStore } from "../../../ports/sharing/TransferAttemptStore.ts"
import { inTurn } from "../InTurn.ts"
import { type Change, Memory } from "../Memory.ts"
import { makeRecords } from "../Records.ts"
import { records, replace, type State } from "../State.ts"

const all = (state: State): ReadonlyArray<TransferAttempt> =>
  HashMap.toValues(state.transferAttempts).flatMap((table) => HashMap.toValues(table))

const lookMillis = ({ look_at }: TransferAttempt): number =>
  look_at === null ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(look_at)

const looked = (state: State, attempt: TransferAttempt, look_at: DateTime.Utc): State => ({
  ...state,
  transferAttempts: replace(state.transferAttempts, { ...attempt, look_at })
})

const claim = (
  state: State,
  limit: number,
  lease: Duration.Duration,
  now: DateTime.Utc
): Change<ReadonlyArray<DueTransfer>, never> => {
  const due = all(state).filter((attempt) => lookMillis(attempt) <= DateTime.toEpochMillis(now))
  const claimed = inTurn(due, lookMillis).slice(0, limit)
  const until = DateTime.addDuration(now, lease)
  return Result.succeed([
    claimed.map(({ id, organisation_id }) => ({ organisation_id, id })),
    claimed.reduce((next, attempt) => looked(next, attempt, until), state)
  ])
}

const untilNext = (state: State, now: DateTime.Utc): Option.Option<Duration.Duration> => {
  const first = Math.min(...all(state).map(lookMillis))
  return Number.isFinite(first)
    ? Option.some(Duration.millis(Math.max(0, first - DateTime.toEpochMillis(now))))
    : Option.none()
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
      claim: (limit, lease) =>
        Effect.flatMap(DateTime.now, (now) => memory.decide((state) => claim(state, limit, lease, now))),
      lookNow: (organisation_id, payment_id) =>
        Effect.andThen(
          Effect.flatMap(DateTime.now, (now) =>
            memory.change((state) =>
              Array.from(records(state.transferAttempts, organisation_id))
                .filter((each) => each.payment_id === payment_id && each.looks > 0)
                .filter((each) => each.look_at !== null && lookMillis(each) > DateTime.toEpochMillis(now))
                .reduce((next, each) => looked(next, each, now), state)
            )
          ),
          raise
        ),
      ofAllocation: (organisation_id, allocation_id) =>
        memory.read((state) =>
          Array.from(records(state.transferAttempts, organisation_id)).filter(
            (each) => each.allocation_id === allocation_id
          )
        ),
      nextDue: Effect.flatMap(DateTime.now, (now) => memory.read((state) => untilNext(state, now))),
      wait: Queue.take(hints)
    })
  })
)
