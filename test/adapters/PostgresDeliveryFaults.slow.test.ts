import { assert, describe } from "@effect/vitest"
import { DateTime, Effect, Layer, Logger, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DeliveryStore, Outbox, WebhookEndpointStore } from "../../src/ports.ts"
import { claim, fromNow, newDelivery } from "../../src/testing/conformance/Claims.ts"
import { eventOf, newEndpoint, newOrganisation } from "../../src/testing/conformance/Records.ts"
import { fieldsOf } from "../support/Answer.ts"
import { layerServer } from "../support/MigratedDatabase.ts"
import { withFresh } from "../support/Steps.ts"
import { statementOf } from "./ListPlans.ts"
import { storesOn } from "./PostgresStores.ts"

/** Damages that make a row unreadable. */
const damages: ReadonlyArray<
  readonly [what: string, damage: (id: string) => Effect.Effect<unknown, unknown, SqlClient.SqlClient>]
> = [
  [
    "a count that no delivery has",
    (id) => SqlClient.SqlClient.use((sql) => sql`UPDATE pending_deliveries SET attempt_count = 99 WHERE id = ${id}`)
  ],
  [
    "an id of another shape",
    (id) => SqlClient.SqlClient.use((sql) => sql`UPDATE pending_deliveries SET event_id = 'what' WHERE id = ${id}`)
  ],
  [
    "an event that is gone",
    (id) =>
      SqlClient.SqlClient.use(
        (sql) => sql`DELETE FROM events WHERE id = (SELECT event_id FROM pending_deliveries WHERE id = ${id})`
      )
  ],
  [
    "an endpoint that cannot be read",
    (id) =>
      SqlClient.SqlClient.use(
        (sql) => sql`
          UPDATE webhook_endpoints SET disabled_reason = 'nobody knows'
          WHERE id = (SELECT endpoint_id FROM pending_deliveries WHERE id = ${id})`
      )
  ],
  [
    "an endpoint that is gone",
    (id) =>
      SqlClient.SqlClient.use(
        (sql) =>
          sql`DELETE FROM webhook_endpoints WHERE id = (SELECT endpoint_id FROM pending_deliveries WHERE id = ${id})`
      )
  ]
]

const program = Layer.fresh(storesOn(layerServer))
const { live } = withFresh(program)

describe("a row that cannot be read", () => {
  const logged: Array<string> = []
  const recording = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
  const recorded = withFresh(Layer.merge(program, recording))

  for (const [what, damage] of damages) {
    recorded.live(`is set aside, told, and holds up no other: ${what}`, function* () {
      logged.length = 0
      const store = yield* DeliveryStore
      const { id } = yield* newOrganisation()
      const bad = yield* newDelivery(yield* newEndpoint(id))
      const good = yield* newDelivery(yield* newEndpoint(id))
      yield* damage(bad.delivery.id)
      const claimed = yield* claim()
      assert.deepStrictEqual(
        claimed.map(({ delivery }) => delivery.id),
        [good.delivery.id]
      )
      const [aside, ...more] = yield* store.setAside(10)
      assert.deepInclude(aside, { organisation_id: id, id: bad.delivery.id })
      assert.deepStrictEqual(more, [])
      assert.strictEqual(logged.filter((line) => line.includes(bad.delivery.id)).length, 1)
      yield* store.repair(1_000)
      yield* store.releaseAll
      assert.deepStrictEqual(yield* claim(), [], "nobody is handed it again")
      assert.deepStrictEqual(
        (yield* store.expired({ limit: 10, over_millis: 0 })).map(({ delivery }) => delivery.id),
        [good.delivery.id]
      )
      assert.strictEqual(yield* store.putBack, 1)
      yield* claim()
      assert.strictEqual((yield* store.setAside(10)).length, 1, "still unreadable, it is set aside again")
    })
  }

  recorded.live("is set aside where it is found with its lease over, too", function* () {
    const store = yield* DeliveryStore
    const sql = yield* SqlClient.SqlClient
    const { id } = yield* newOrganisation()
    const endpoint = yield* newEndpoint(id)
    const bad = yield* newDelivery(endpoint)
    const good = yield* newDelivery(endpoint)
    yield* claim({ lease_millis: 0 })
    yield* sql`UPDATE pending_deliveries SET attempt_count = -1 WHERE id = ${bad.delivery.id}`
    const expired = yield* store.expired({ limit: 10, over_millis: 0 })
    assert.deepStrictEqual(
      expired.map(({ delivery }) => delivery.id),
      [good.delivery.id]
    )
    assert.strictEqual((yield* store.setAside(10)).length, 1)
  })

  live("of an endpoint keeps no other from being found failing", function* () {
    const store = yield* DeliveryStore
    const sql = yield* SqlClient.SqlClient
    const { id } = yield* newOrganisation()
    const failing_since = DateTime.makeUnsafe(0)
    const run = { failing_since, exhausted_at: DateTime.add(failing_since, { days: 5 }) }
    const bad = yield* newEndpoint(id, run)
    const good = yield* newEndpoint(id, run)
    yield* sql`UPDATE webhook_endpoints SET disabled_reason = 'nobody knows' WHERE id = ${bad.id}`
    const failing = yield* store.failing
    assert.deepStrictEqual(fieldsOf(failing, "id"), [good.id])
  })
})

describe("a process whose clock is ahead", () => {
  live("writes deliveries that are due at once all the same", function* () {
    const outbox = yield* Outbox
    const endpoints = yield* WebhookEndpointStore
    const { id } = yield* newOrganisation()
    const endpoint = yield* newEndpoint(id, { event_types: ["donor.created"] })
    assert.isDefined(yield* endpoints.find(id, endpoint.id))
    yield* outbox.append([yield* eventOf(id, { type: "donor.created", occurred_at: yield* fromNow(3_600) })])
    assert.strictEqual((yield* claim()).length, 1)
  })
})

describe("a backlog that the planner knows nothing of", () => {
  live("costs a claim, and the looks for what is due and what is over, what an empty one would", function* () {
    const sql = yield* SqlClient.SqlClient
    const store = yield* DeliveryStore
    yield* sql`ALTER TABLE pending_deliveries SET (autovacuum_enabled = false)`
    const { id } = yield* newOrganisation()
    const endpoint = yield* newEndpoint(id)
    const { event } = yield* newDelivery(endpoint)
    // As many as it takes for the planner to be misled where it can be.
    for (const from of [0, 40_000, 80_000, 120_000]) {
      yield* sql`
            INSERT INTO pending_deliveries (organisation_id, id, endpoint_id, event_id, event_type, attempt_count,
              next_attempt_at, created_at, updated_at)
            SELECT ${id}, 'dlv_' || lpad(n::text, 26, '0'), ${endpoint.id}, ${event.id}, 'donor.merged', 0,
              now() - interval '1 day' + n * interval '1 millisecond', now(), now()
            FROM generate_series(${from}::int4 + 1, ${from}::int4 + 40000) AS n`
    }
    assert.isAtMost(yield* blocksOf(claim({ limit: 50 })), 4_000)
    assert.isAtMost(yield* blocksOf(store.untilDue), 400)
    assert.isAtMost(yield* blocksOf(store.expired({ limit: 50, over_millis: 0 })), 400)
  })
})

const Explained = Schema.Tuple([
  Schema.Struct({
    "QUERY PLAN": Schema.Tuple([
      Schema.Struct({ Plan: Schema.Struct({ "Shared Hit Blocks": Schema.Int, "Shared Read Blocks": Schema.Int }) })
    ])
  })
])

/** How many blocks of tables and indexes the last statement of an effect looks at. */
const blocksOf = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const [text, params] = yield* statementOf(effect)
  const plan = yield* sql.unsafe(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, params)
  const [
    {
      "QUERY PLAN": [{ Plan }]
    }
  ] = Schema.decodeUnknownSync(Explained)(plan)
  return Plan["Shared Hit Blocks"] + Plan["Shared Read Blocks"]
})
