import { describe, it } from "@effect/vitest"
import { type Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DeliverySignal, Outbox, WebhookEndpointStore } from "../../src/ports.ts"
import { endpointOf, eventOf, newOrganisation } from "../../src/testing/conformance/Records.ts"
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

describe("two dispatchers", () => {
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
