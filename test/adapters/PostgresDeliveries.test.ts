import { assert, describe, it } from "@effect/vitest"
import { type Context, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { DeliverySignal } from "../../src/ports/outbox/DeliverySignal.ts"
import { DeliveryStore } from "../../src/ports/outbox/DeliveryStore.ts"
import { Outbox } from "../../src/ports/outbox/Outbox.ts"
import { WebhookEndpointStore } from "../../src/ports/outbox/WebhookEndpointStore.ts"
import { at, endpointOf, eventOf, newOrganisation } from "../../src/testing/conformance/Records.ts"
import { live } from "../support/Steps.ts"
import { twoPrograms } from "./PostgresStores.ts"

const endpoints = 5
const events = 40

const stored = Effect.gen(function* () {
  const outbox = yield* Outbox
  const store = yield* WebhookEndpointStore
  const { id } = yield* newOrganisation()
  for (let i = 0; i < endpoints; i++) yield* store.insert(yield* endpointOf(id))
  yield* outbox.append(yield* Effect.forEach(Array.from({ length: events }), () => eventOf(id, { dedupe_key: null })))
})

/** A dispatcher that claims, settles as delivered, and goes on until nothing is pending. */
const dispatch = (worker: string, claimed: Array<string>) =>
  Effect.gen(function* () {
    const store = yield* DeliveryStore
    for (let round = 0; Option.isSome(yield* store.untilDue); round++) {
      const { claimed: batch } = yield* store.claim({
        lease_id: `${worker}-${round}`,
        lease_millis: 20_000,
        limit: 7,
        endpoints: { known: new Map(), others: 3 },
        organisations: { known: new Map(), others: 100 }
      })
      claimed.push(...batch.map(({ delivery }) => delivery.id))
      yield* store.settle(
        batch.map(({ delivery, lease_id }) => ({
          delivery: { ...delivery, status: "DELIVERED", attempt_count: 1, next_attempt_at: null, completed_at: at(1) },
          lease_id,
          attempt: {
            number: 1,
            attempted_at: at(1),
            response_status: 200,
            response_excerpt: null,
            retry_after: null,
            error: null,
            duration_ms: 3
          }
        }))
      )
    }
  })

describe("two dispatchers", () => {
  live("hand out every delivery once", function* () {
    const [first, second] = yield* twoPrograms
    yield* Effect.provide(stored, first)
    const claimed: Array<string> = []
    yield* Effect.all(
      [
        Effect.provide(dispatch("a", claimed), first),
        Effect.provide(dispatch("b", claimed), second),
        Effect.provide(dispatch("c", claimed), second)
      ],
      { concurrency: "unbounded" }
    )
    assert.lengthOf(claimed, endpoints * events)
    assert.strictEqual(new Set(claimed).size, endpoints * events)
    yield* Effect.provide(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const attempts = yield* sql`SELECT DISTINCT delivery_id FROM delivery_attempts WHERE number = 1`
        assert.lengthOf(attempts, endpoints * events)
      }),
      first
    )
  })

  it.live("are woken by what the other program commits", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoPrograms
      const wait = (program: Context.Context<DeliverySignal>) =>
        Effect.provide(
          Effect.flatMap(DeliverySignal, (signal) => signal.wait),
          program
        )
      // A listener begins with a hint: once it has come, there is one that hears.
      yield* wait(second)
      yield* Effect.provide(stored, first)
      yield* wait(second)
    }).pipe(Effect.scoped, Effect.timeout("20 seconds"))
  )

  it.live("a listener whose session was ended listens again", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoPrograms
      const signal = yield* Effect.provide(DeliverySignal, second)
      yield* signal.wait
      yield* Effect.provide(
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND query LIKE 'LISTEN%'`
        ),
        first
      )
      yield* signal.wait
    }).pipe(Effect.scoped, Effect.timeout("20 seconds"))
  )
})
