import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { Webhook } from "standardwebhooks"
import { Dispatcher } from "../../src/app/outbox/Dispatcher.ts"
import type { DeliveryId } from "../../src/domain/kernel/Ids.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { idFor, interruptionError, isReceived } from "../../src/domain/outbox/Delivery.ts"
import type { WebhookEndpoint } from "../../src/domain/outbox/WebhookEndpoint.ts"
import { DeliveryStore, WebhookEndpointStore } from "../../src/ports.ts"
import { fieldsOf } from "../support/Answer.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { withFresh } from "../support/Steps.ts"
import {
  anotherWorker,
  answerWith,
  commit,
  find,
  findEndpoint,
  layer,
  makeEndpoint,
  pass,
  settleDown,
  start,
  startOf,
  timedOut,
  World
} from "./DispatcherWorld.ts"

const millisOf = (instant: DateTime.Utc | null): number =>
  instant === null ? assert.fail("there is an instant") : DateTime.toEpochMillis(instant)

const signatureOf = (secret: string, id: string, seconds: number, body: string): string =>
  new Webhook(Buffer.from(secret, "utf8").toString("base64")).sign(id, new Date(seconds * 1_000), body)

const changeEndpoint = Effect.fnUntraced(function* (endpoint: WebhookEndpoint, changes: Partial<WebhookEndpoint>) {
  const store = yield* WebhookEndpointStore
  yield* store.update({ ...(yield* findEndpoint(endpoint)), ...changes })
})

const leaseForSomebodyElse = (lease_id: string) =>
  Effect.gen(function* () {
    const store = yield* DeliveryStore
    const all = { known: new Map(), others: 100 }
    const lease_millis = Limits.deliveryLeaseSeconds * 1_000
    return (yield* store.claim({ lease_id, lease_millis, limit: 100, endpoints: all, organisations: all })).claimed
  })

const { effect } = withFresh(layer)

describe("a delivery", () => {
  effect("goes out at the instant of its commit, with the headers and signature of the contract", function* () {
    const world = yield* World
    const endpoint = yield* makeEndpoint()
    yield* start
    yield* pass("90 seconds")
    const id = yield* commit(endpoint)
    yield* settleDown
    assert.strictEqual(world.exchanges.length, 1)
    const [sent] = world.exchanges
    assert.strictEqual(sent?.from, 90_000)
    assert.strictEqual(sent?.url, endpoint.url)
    assert.deepStrictEqual(sent?.headers, {
      "webhook-id": id,
      "webhook-timestamp": "90",
      "webhook-signature": signatureOf("secret", id, 90, sent?.body ?? ""),
      "content-type": "application/json",
      "user-agent": "Almoner-Webhooks/1.2.3"
    })
    assert.deepStrictEqual(sent?.rules, { require_https: true, allowed_cidrs: [] })
    const { attempts, delivery } = yield* find(endpoint, id)
    assert.strictEqual(delivery.status, "DELIVERED")
    assert.deepStrictEqual(fieldsOf(attempts, "number", "response_status", "response_excerpt"), [[1, 204, "ok"]])
  })

  effect("is tried six times on the schedule, never early, under one id, each time signed anew", function* () {
    const world = yield* World
    world.answer = (_, number) => (number % 2 === 0 ? timedOut : Effect.succeed(answerWith(500)))
    const endpoint = yield* makeEndpoint()
    yield* start
    const id = yield* commit(endpoint)
    yield* pass("40 hours")
    const { attempts, delivery } = yield* find(endpoint, id)
    assert.strictEqual(delivery.status, "FAILED")
    assert.strictEqual(attempts.length, Limits.deliveryAttempts)
    assert.strictEqual(world.exchanges.length, Limits.deliveryAttempts)
    for (const [i, exchange] of world.exchanges.entries()) {
      assert.strictEqual(exchange.id, id)
      const seconds = Math.floor(exchange.from / 1_000)
      assert.strictEqual(exchange.headers["webhook-timestamp"], String(seconds))
      assert.strictEqual(exchange.headers["webhook-signature"], signatureOf("secret", id, seconds, exchange.body))
      const before = world.exchanges[i - 1]
      if (before === undefined) continue
      const wait = exchange.from - before.to
      const delay = (Limits.deliveryDelaysSeconds[i] ?? 0) * 1_000
      assert.isAtLeast(wait, delay)
      assert.isAtMost(wait, delay + 1_000)
    }
  })

  effect("carries both signatures while a rotation overlaps, and one after it", function* () {
    const world = yield* World
    const endpoint = yield* makeEndpoint()
    yield* changeEndpoint(endpoint, {
      sealed_secret: `${endpoint.id}/new`,
      previous_sealed_secret: `${endpoint.id}/old`,
      previous_secret_expires_at: DateTime.makeUnsafe(60_000)
    })
    yield* start
    const overlapping = yield* commit(endpoint)
    yield* pass("1 minute")
    const afterwards = yield* commit(endpoint)
    yield* settleDown
    const body = (n: number) => world.exchanges[n]?.body ?? ""
    assert.deepStrictEqual(
      world.exchanges.map(({ headers }) => headers["webhook-signature"]),
      [
        `${signatureOf("new", overlapping, 0, body(0))} ${signatureOf("old", overlapping, 0, body(0))}`,
        signatureOf("new", afterwards, 60, body(1))
      ]
    )
  })

  effect("fails as secret_unavailable when the secret cannot be opened, but not for a lost old one", function* () {
    const world = yield* World
    const lost = yield* makeEndpoint({ sealed_secret: "sealed by a key that is gone" })
    const rotated = yield* makeEndpoint({
      previous_sealed_secret: "sealed by a key that is gone",
      previous_secret_expires_at: DateTime.makeUnsafe(60_000)
    })
    yield* start
    const failing = yield* commit(lost)
    const fine = yield* commit(rotated)
    yield* pass("10 millis")
    const { attempts, delivery } = yield* find(lost, failing)
    assert.strictEqual(delivery.status, "PENDING")
    assert.deepStrictEqual(fieldsOf(attempts, "error"), ["secret_unavailable"])
    assert.strictEqual((yield* find(rotated, fine)).delivery.status, "DELIVERED")
    assert.strictEqual(world.exchanges.length, 1)
  })

  effect("is not sent when its endpoint was disabled or deleted since: it ends without an attempt", function* () {
    const world = yield* World
    const disabled = yield* makeEndpoint()
    const deleted = yield* makeEndpoint()
    const ids = [yield* commit(disabled), yield* commit(deleted)] as const
    yield* changeEndpoint(disabled, { is_active: false, disabled_reason: "disabled_by_owner" })
    yield* changeEndpoint(deleted, { is_active: false, deleted_at: yield* DateTime.now })
    const dispatcher = yield* Dispatcher
    assert.strictEqual(yield* dispatcher.deliverDue, 2)
    for (const found of [yield* find(disabled, ids[0]), yield* find(deleted, ids[1])]) {
      assert.strictEqual(found.delivery.status, "FAILED")
      assert.deepStrictEqual(found.attempts, [])
    }
    assert.deepStrictEqual(world.exchanges, [])
  })

  effect("is none where its attempt broke here, and stays to be sent when its lease is over", function* () {
    const world = yield* World
    const endpoint = yield* makeEndpoint()
    const [broken, fine] = [yield* commit(endpoint), yield* commit(endpoint)]
    world.answer = (_, turn) =>
      world.exchanges.at(-1)?.id === broken && turn === 1
        ? Effect.die("the transport broke")
        : Effect.succeed(answerWith(204))
    const dispatcher = yield* Dispatcher
    assert.strictEqual(yield* dispatcher.deliverDue, 1)
    assert.strictEqual((yield* find(endpoint, fine)).delivery.status, "DELIVERED")
    assert.strictEqual((yield* find(endpoint, broken)).delivery.status, "PENDING")
    yield* TestClock.adjust("5 minutes")
    assert.strictEqual(yield* dispatcher.deliverDue, 1)
    assert.strictEqual((yield* find(endpoint, broken)).delivery.status, "DELIVERED")
  })
})

describe("endpoints beside each other", () => {
  for (const claimMillis of [0, 10]) {
    effect(`a backlog goes out in one go, without a signal, where a claim takes ${claimMillis} ms`, function* () {
      const world = yield* World
      const endpoint = yield* makeEndpoint()
      world.claimMillis = claimMillis
      world.answer = (_, turn) => Effect.as(Effect.sleep(world.exchanges.length % 32 === turn ? 1 : 3), answerWith(200))
      const ids = []
      for (let i = 0; i < 400; i++) ids.push(yield* commit(endpoint))
      yield* start
      // One millisecond after the other, as they pass.
      for (let millis = 0; millis < 900; millis++) yield* TestClock.adjust(1)
      assert.sameMembers(fieldsOf(world.exchanges, "id"), ids)
    })
  }

  effect("a burst is claimed in batches, delivered whole, and settled in batches", function* () {
    const world = yield* World
    const endpoint = yield* makeEndpoint()
    world.answer = () => Effect.as(Effect.sleep("3 millis"), answerWith(200))
    yield* start
    yield* pass("1 second")
    const before = { claims: world.claims, settlements: world.settlements }
    const ids = []
    for (let i = 0; i < 500; i++) ids.push(yield* commit(endpoint))
    yield* pass("1 second")
    assert.sameMembers(fieldsOf(world.exchanges, "id"), ids)
    assert.isAtMost(world.claims - before.claims, 100)
    assert.isAtMost(world.settlements - before.settlements, 100)
  })
})

describe("leases", () => {
  effect("one that ran out is an interrupted attempt that does not count, and the next is due at once", function* () {
    const world = yield* World
    const endpoint = yield* makeEndpoint()
    const id = yield* commit(endpoint)
    yield* leaseForSomebodyElse("dead worker")
    yield* start
    yield* pass("19 seconds")
    assert.deepStrictEqual(world.exchanges, [], "its owner has time to record what it sent")
    yield* pass("6 seconds")
    const { attempts, delivery } = yield* find(endpoint, id)
    assert.deepStrictEqual(fieldsOf(attempts, "number", "error"), [
      [1, "interrupted"],
      [2, null]
    ])
    assert.strictEqual(delivery.status, "DELIVERED")
    assert.deepInclude(delivery, { attempt_count: 1, interruption_count: 1 })
    assert.strictEqual(world.exchanges.length, 1)
  })
})

describe("an endpoint that fails", () => {
  /** Commits an event, and a delivery of it that has one attempt left. */
  const commitLastAttempt = Effect.fnUntraced(function* (endpoint: WebhookEndpoint) {
    const { delivery } = yield* find(endpoint, yield* commit(endpoint))
    const last = { ...delivery, id: idFor(delivery.event_id, 2), attempt_count: Limits.deliveryAttempts - 1 }
    yield* DeliveryStore.use((store) => store.insert(last))
  })

  effect(
    "is disabled when a delivery is used up after five days of failures, and not for days without any",
    function* () {
      const world = yield* World
      world.answer = () => Effect.succeed(answerWith(500))
      const endpoint = yield* makeEndpoint({ failing_since: DateTime.makeUnsafe(0) })
      yield* pass("119 hours")
      yield* start
      yield* commitLastAttempt(endpoint)
      yield* pass("2 hours")
      const { exhausted_at, is_active } = yield* findEndpoint(endpoint)
      assert.deepStrictEqual([millisOf(exhausted_at), is_active], [119 * 3_600_000, true])
      yield* commitLastAttempt(endpoint)
      yield* pass("2 seconds")
      assert.isFalse((yield* findEndpoint(endpoint)).is_active)
    }
  )
})

describe("a store that is away", () => {
  const logged: Array<string> = []
  const recording = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])

  it.effect("is waited for; what was under way is recorded afterwards, not sent again", () =>
    Effect.gen(function* () {
      logged.length = 0
      const world = yield* World
      const endpoint = yield* makeEndpoint()
      world.answer = () => Effect.as(Effect.sleep("2 seconds"), answerWith(200))
      yield* start
      const first = yield* commit(endpoint)
      yield* pass("1 second")
      world.away = true
      const second = yield* commit(endpoint)
      yield* pass("5 minutes")
      assert.strictEqual(world.exchanges.length, 1)
      assert.strictEqual((yield* find(endpoint, first)).delivery.status, "PENDING")
      world.away = false
      yield* pass("15 seconds")
      for (const id of [first, second]) {
        const { attempts, delivery } = yield* find(endpoint, id)
        assert.strictEqual(delivery.status, "DELIVERED")
        assert.strictEqual(attempts.length, 1)
      }
      assert.deepStrictEqual(fieldsOf(world.exchanges, "id"), [first, second])
      assert.strictEqual(logged.filter((line) => line.includes("cannot be used")).length, 1)
      assert.strictEqual(logged.filter((line) => line.includes("answers again")).length, 1)
    }).pipe(Effect.provide(recording), Effect.provide(layer))
  )
})

describe("an outcome that the store refuses", () => {
  it.effect("holds up no other", () =>
    Effect.gen(function* () {
      const world = yield* World
      const endpoint = yield* makeEndpoint()
      world.answer = () => Effect.as(Effect.sleep("1 second"), answerWith(200))
      yield* start
      yield* pass("1 second")
      const ids: Array<DeliveryId> = []
      for (let i = 0; i < 20; i++) ids.push(yield* commit(endpoint))
      const refused = ids[7] ?? assert.fail("there are twenty")
      world.poison.add(refused)
      yield* pass("9 seconds")
      for (const id of ids.filter((id) => id !== refused)) {
        assert.strictEqual((yield* find(endpoint, id)).delivery.status, "DELIVERED")
      }
      const later = yield* commit(endpoint)
      yield* pass("2 seconds")
      assert.strictEqual((yield* find(endpoint, later)).delivery.status, "DELIVERED")
      world.poison.clear()
      yield* pass("1 minute")
      const { attempts } = yield* find(endpoint, refused)
      assert.deepStrictEqual(fieldsOf(attempts, "error"), ["interrupted", null])
    }).pipe(Effect.provide(Logger.layer([])), Effect.provide(layer))
  )
})

describe("a stop", () => {
  effect("claims nothing more, and waits for what is under way and its record", function* () {
    const world = yield* World
    const endpoint = yield* makeEndpoint()
    world.answer = () => Effect.as(Effect.sleep("7 seconds"), answerWith(200))
    const worker = yield* start
    const underWay = yield* commit(endpoint)
    yield* settleDown
    const stopping = yield* Effect.forkChild(Fiber.interrupt(worker), { startImmediately: true })
    yield* settleDown
    const late = yield* commit(endpoint)
    yield* pass("6 seconds")
    assert.isUndefined(stopping.pollUnsafe())
    yield* pass("2 seconds")
    yield* Fiber.await(stopping)
    assert.strictEqual((yield* find(endpoint, underWay)).delivery.status, "DELIVERED")
    assert.strictEqual((yield* find(endpoint, late)).delivery.status, "PENDING")
    assert.strictEqual(world.exchanges.length, 1)
  })

  effect(
    "is over after eight seconds; what was cut off is recorded as interrupted, and sent at the next start",
    function* () {
      const world = yield* World
      const endpoint = yield* makeEndpoint()
      world.answer = (_, number) => (number === 1 ? Effect.never : Effect.succeed(answerWith(200)))
      const worker = yield* start
      const id = yield* commit(endpoint)
      yield* settleDown
      const stopping = yield* Effect.forkChild(Fiber.interrupt(worker), { startImmediately: true })
      yield* pass("8 seconds")
      yield* Fiber.await(stopping)
      yield* start
      yield* pass("1 second")
      const { attempts, delivery } = yield* find(endpoint, id)
      assert.strictEqual(delivery.status, "DELIVERED")
      assert.deepStrictEqual(fieldsOf(attempts, "error"), ["interrupted", null])
    }
  )
})

interface Script {
  /** How receivers answer, in turn; null is no answer at all. Latencies are milliseconds. */
  readonly turns: ReadonlyArray<{ readonly status: number | null; readonly latency: number }>
  /** Waits after each commit, milliseconds. */
  readonly commits: ReadonlyArray<number>
  /** The commit after which one worker dies. */
  readonly death: number
}

const sum = (text: string): number => [...text].reduce((total, character) => total + character.charCodeAt(0), 0)

/** Two workers over one store: receivers fail, hang and answer slowly, and one worker dies in the middle. */
const runScript = Effect.fnUntraced(function* (script: Script) {
  const world = yield* World
  const { outside, worker: mortal } = yield* anotherWorker
  world.answer = ({ headers }, number) => {
    const turn = script.turns[(sum(headers["webhook-id"] ?? "") + number) % script.turns.length]
    if (turn === undefined || number > 3) return Effect.succeed(answerWith(200))
    return turn.status === null ? timedOut : Effect.as(Effect.sleep(turn.latency), answerWith(turn.status))
  }
  yield* start
  yield* startOf(mortal)
  const endpoints = [yield* makeEndpoint(), yield* makeEndpoint(), yield* makeEndpoint()]
  const deliveries: Array<{ readonly endpoint: WebhookEndpoint; readonly id: DeliveryId }> = []
  for (const [i, wait] of script.commits.entries()) {
    const endpoint = endpoints[i % 3] ?? assert.fail("there are three")
    deliveries.push({ endpoint, id: yield* commit(endpoint) })
    yield* pass(wait)
    // A worker whose store never answers it again is as good as dead.
    if (i === script.death) outside.away = true
  }
  yield* pass("45 minutes")
  return yield* Effect.forEach(deliveries, ({ endpoint, id }) => find(endpoint, id))
})

describe("two workers and the death of one", () => {
  const script: fc.Arbitrary<Script> = fc.record({
    turns: fc.array(
      fc.record({
        status: fc.constantFrom(200, 204, 500, 410, 301, null),
        latency: fc.integer({ min: 0, max: 9_000 })
      }),
      { minLength: 1, maxLength: 7 }
    ),
    commits: fc.array(fc.integer({ min: 0, max: 4_000 }), { minLength: 1, maxLength: 25 }),
    death: fc.nat(24)
  })

  it("lose no delivery, send none twice at a time or after its success was recorded, and none early", () =>
    forEveryAsyncWith({ numRuns: 15 }, script, (script) =>
      Effect.gen(function* () {
        const found = yield* runScript(script)
        const { exchanges } = yield* World
        for (const { attempts, delivery } of found) {
          const sent = exchanges.filter(({ id }) => id === delivery.id)
          assert.strictEqual(delivery.status, "DELIVERED")
          assert.strictEqual(delivery.attempt_count + delivery.interruption_count, attempts.length)
          assert.deepStrictEqual(
            fieldsOf(attempts, "number"),
            attempts.map((_, i) => i + 1)
          )
          const successes = attempts.filter(
            ({ error, response_status }) => error === null && isReceived(response_status)
          )
          assert.deepStrictEqual(successes, attempts.slice(-1))
          assert.isAtMost(sent.length, attempts.length, "each exchange is one of the recorded attempts")
          for (const [i, { from }] of sent.entries()) {
            const before = sent[i - 1]
            if (before !== undefined) assert.isAtLeast(from, before.to)
          }
          for (const [i, { attempted_at, error }] of attempts.entries()) {
            const before = attempts[i - 1]
            if (before === undefined || before.error === interruptionError || error === interruptionError) continue
            const counted = attempts.slice(0, i).filter((each) => each.error !== interruptionError).length
            const due = millisOf(before.attempted_at) + (Limits.deliveryDelaysSeconds[counted] ?? 0) * 1_000
            assert.isAtLeast(millisOf(attempted_at), due)
          }
        }
        assert.sameMembers(
          [...new Set(exchanges.map(({ id }) => id))],
          found.map(({ delivery }) => delivery.id)
        )
      }).pipe(
        Effect.scoped,
        Effect.provide([layer, Logger.layer([])]),
        Effect.provide(TestClock.layer()),
        Effect.runPromise
      )
    ))
})
