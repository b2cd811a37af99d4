import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import type { EventId } from "../../src/domain/kernel/Ids.ts"
import { DeliverySignal, EventConsumerStore, Outbox, Transaction } from "../../src/ports.ts"
import { eventOf, newOrganisation } from "../../src/testing/conformance/Records.ts"
import { twoPrograms } from "./PostgresStores.ts"

/** A transaction writes its event, and ends. */
interface Step {
  readonly transaction: number
  readonly does: "write" | "end"
}

/** Every order of the steps in which each transaction writes before it ends. */
const interleavings = (transactions: number): ReadonlyArray<ReadonlyArray<Step>> => {
  const orders: Array<ReadonlyArray<Step>> = []
  const extend = (steps: ReadonlyArray<Step>, done: ReadonlyArray<number>): void => {
    if (steps.length === 2 * transactions) orders.push(steps)
    for (let transaction = 0; transaction < transactions; transaction++) {
      const count = done[transaction] ?? 0
      if (count === 2) continue
      const does = count === 0 ? "write" : "end"
      extend([...steps, { transaction, does }], done.with(transaction, count + 1))
    }
  }
  extend(
    [],
    Array.from({ length: transactions }, () => 0)
  )
  return orders
}

const enough = 1_000

const taken = Effect.fnUntraced(function* (name: string) {
  const store = yield* EventConsumerStore
  yield* store.take(name, enough)
  return (yield* store.waiting(name, { limit: enough, failed: false })).map(({ event_id }) => event_id)
})

/** A transaction that is open, with its event written. */
const opened = Effect.fnUntraced(function* (rollsBack: boolean) {
  const [transaction, outbox] = [yield* Transaction, yield* Outbox]
  const { id } = yield* newOrganisation()
  const event = yield* eventOf(id, { dedupe_key: null })
  const [wrote, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const work = Effect.gen(function* () {
    yield* outbox.append([event])
    yield* Deferred.succeed(wrote, undefined)
    yield* Deferred.await(go)
    if (rollsBack) return yield* Effect.fail("rolled back")
  })
  const fiber = yield* Effect.forkChild(Effect.exit(transaction.run(work)), { startImmediately: true })
  yield* Deferred.await(wrote)
  return { id: event.id, end: Effect.andThen(Deferred.succeed(go, undefined), Fiber.join(fiber)) }
})

describe("the log of events on a server", () => {
  it.live(
    "whatever the order in which transactions write and commit, each event is taken once, as soon as it is committed, by every consumer that was made before",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const [first, second] = yield* twoPrograms
          const rolled = [null, 0, 1, 2]
          let run = 0
          for (const [index, steps] of interleavings(3).entries()) {
            run += 1
            // Of every fourth one a transaction rolls back, each in its turn.
            const rollsBack = rolled[index % rolled.length]
            const open = new Map<number, Effect.Success<ReturnType<typeof opened>>>()
            const made: Array<{ readonly name: string; readonly missed: ReadonlyArray<EventId> }> = []
            const committed: Array<EventId> = []
            for (const [place, { does, transaction }] of steps.entries()) {
              const program = place % 2 === 0 ? first : second
              const name = `run-${run}-${place}`
              yield* EventConsumerStore.use((store) =>
                store.register({ name, event_types: null, known_types: [], from: "now" })
              ).pipe(Effect.provideContext(program))
              made.push({ name, missed: [...committed] })
              if (does === "write") {
                open.set(transaction, yield* opened(transaction === rollsBack).pipe(Effect.provideContext(program)))
              } else {
                const ending = open.get(transaction) ?? assert.fail("it never wrote")
                yield* ending.end
                if (transaction !== rollsBack) committed.push(ending.id)
              }
              for (const { missed, name } of made) {
                const expected = committed.filter((id) => !missed.includes(id))
                const [a, b] = yield* Effect.all(
                  [Effect.provideContext(taken(name), first), Effect.provideContext(taken(name), second)],
                  { concurrency: 2 }
                )
                // One of two that take at the same moment leaves it to the other.
                const all = a.length > b.length ? a : b
                assert.deepStrictEqual(all, expected, `${JSON.stringify(steps)} ${name} at ${place}`)
              }
            }
            for (const { name } of made) {
              yield* EventConsumerStore.use((store) => store.remove(name)).pipe(Effect.provideContext(first))
            }
          }
          assert.strictEqual(run, 90)
        })
      ),
    120_000
  )
})

describe("whoever handles events in one process", () => {
  it.live(
    "is told of what another one commits, with deliveries or without, and again after its session was ended",
    () =>
      Effect.gen(function* () {
        const [first, second] = yield* twoPrograms
        const store = yield* Effect.provide(EventConsumerStore, second)
        yield* store.register({ name: "told", event_types: null, known_types: [], from: "now" })
        const committed = Effect.gen(function* () {
          const { id } = yield* newOrganisation()
          yield* (yield* Outbox).append([yield* eventOf(id, { dedupe_key: null })])
        }).pipe(Effect.provideContext(first))
        const raised = Effect.flatMap(DeliverySignal, ({ raise }) => raise).pipe(Effect.provideContext(first))
        const toldOf = Effect.fnUntraced(function* (commit: Effect.Effect<void>) {
          const waiting = yield* store.hint
          yield* commit
          yield* waiting
        })
        // A listener begins with a hint: once it has come, there is one that hears.
        yield* yield* store.hint
        yield* toldOf(committed)
        yield* toldOf(committed)
        yield* toldOf(raised)
        const ended = Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND query LIKE 'LISTEN%'`
        ).pipe(Effect.orDie, Effect.asVoid, Effect.provideContext(first))
        yield* toldOf(ended)
        yield* toldOf(committed)
      }).pipe(Effect.scoped, Effect.timeout("20 seconds"))
  )
})
