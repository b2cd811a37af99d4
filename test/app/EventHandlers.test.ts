import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import * as Tokens from "../../src/adapters/crypto/Tokens.ts"
import { type ConsumerOptions, EventHandlers, type Handler } from "../../src/app/outbox/EventHandlers.ts"
import type { OrganisationId } from "../../src/domain/kernel/Ids.ts"
import { decide } from "../../src/domain/kernel/Machine.ts"
import * as ConsumedEvent from "../../src/domain/outbox/ConsumedEvent.ts"
import { EventConsumerStore, type LeasedEvent, Outbox, Transaction } from "../../src/ports.ts"
import { consumerFrom } from "../../src/testing/conformance/ConsumerRegistrations.ts"
import { eventAbout, takenOf } from "../../src/testing/conformance/EventConsumers.ts"
import { freshId, newOrganisation } from "../../src/testing/conformance/Records.ts"
import { secretBox } from "../conformance/Seal.ts"
import { rounds } from "../support/Rounds.ts"
import { withFresh } from "../support/Steps.ts"
import { everyKind, memory, type StoresLayer } from "../support/Stores.ts"

const quietly = Logger.layer([])

const over = (stores: StoresLayer) =>
  Layer.merge(EventHandlers.layer.pipe(Layer.provideMerge(Layer.merge(stores, Tokens.layer))), quietly).pipe(
    Layer.provide(secretBox)
  )

/** What becomes of the first attempt of an event; later ones work. */
const plans = ["works", "fails", "dies", "is stopped", "loses its lease"] as const
type Plan = (typeof plans)[number]

const commandedTo = (item: ConsumedEvent.ConsumedEvent, command: ConsumedEvent.Command): ConsumedEvent.ConsumedEvent =>
  Result.getOrThrow(decide(ConsumedEvent.machine, item, command)).state

const interrupted = ({ item, lease_id }: LeasedEvent, at: ConsumedEvent.Command["at"]): LeasedEvent => ({
  item: commandedTo(item, ConsumedEvent.interruption(item, at)),
  lease_id
})

/** Takes over whatever is held for a consumer, as another process does once leases are over, but for one event. */
const stealAllBut = Effect.fnUntraced(function* (name: string, event_id: string) {
  const store = yield* EventConsumerStore
  yield* store.releaseAll
  const found = yield* store.expired(name, { limit: 100, over_millis: 0 })
  const at = yield* store.now
  const others = found.filter(({ item }) => item.event_id !== event_id)
  return yield* store.settle(
    name,
    others.map((held) => interrupted(held, at))
  )
})

/** Has what failed or is held by nobody any more tried at once. */
const passTime = Effect.fnUntraced(function* (name: string) {
  const [store, transaction] = [yield* EventConsumerStore, yield* Transaction]
  yield* store.releaseAll
  for (const { event_id } of yield* store.waiting(name, { limit: 100, failed: true })) {
    const resumed = Effect.gen(function* () {
      const item = Option.getOrThrow(yield* store.findForUpdate(name, event_id))
      yield* store.update(commandedTo(item, { _tag: "Resume", at: yield* store.now }))
    })
    yield* transaction.run(resumed)
  }
})

/** What a handler writes: an event that no other is taken for. */
const mark = Effect.fnUntraced(function* (organisation_id: OrganisationId) {
  const marked = yield* eventAbout(organisation_id, yield* freshId("donor"), { type: "donor.updated" })
  yield* (yield* Outbox).append([marked])
})

/** Has events of these plans handled, one after the other, and answers attempts, and the marks that stayed. */
const handled = Effect.fnUntraced(function* (script: ReadonlyArray<Plan>) {
  const [handlers, outbox, store] = [yield* EventHandlers, yield* Outbox, yield* EventConsumerStore]
  const { id } = yield* newOrganisation()
  const counting = yield* consumerFrom("now", ["donor.updated"])
  const name = yield* consumerFrom("now", ["donor.created"])
  const consuming: ConsumerOptions = { name, types: null, in_flight: 4, transactional: true }
  const planned = new Map<string, Plan | "steals">()
  const tried = new Set<string>()
  let attempts = 0
  let stolen = 0

  for (const plan of script) {
    const [begun, robbed] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const handler: Handler<EventConsumerStore | Outbox> = Effect.fnUntraced(function* (event) {
      attempts += 1
      yield* mark(id)
      const isFirst = !tried.has(event.id)
      tried.add(event.id)
      switch (isFirst ? planned.get(event.id) : "works") {
        case "fails":
          return yield* Effect.fail(new Error("no"))
        case "dies":
          return yield* Effect.die(new Error("no"))
        case "is stopped":
          yield* Deferred.succeed(begun, undefined)
          return yield* Effect.never
        case "steals":
          stolen += (yield* stealAllBut(name, event.id)).size
          return yield* Deferred.succeed(robbed, undefined)
        case "loses its lease":
          return yield* Deferred.await(robbed)
        default:
          return
      }
    }, Effect.asVoid)
    // In memory and in the embedded database one transaction runs at a time: the thief's comes first.
    const both = plan === "loses its lease" ? (["steals", plan] as const) : [plan]
    for (const each of both) {
      const event = yield* eventAbout(id, yield* freshId("donor"))
      planned.set(event.id, each)
      yield* outbox.append([event])
    }
    const due = yield* Effect.forkChild(handlers.due(consuming, handler))
    if (plan === "is stopped") {
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(due)
    } else yield* Fiber.join(due)
    yield* passTime(name)
    // What is taken back is due at once by a clock that is counted in whole milliseconds.
    for (let turn = 0; turn < 20; turn++) {
      yield* handlers.due(consuming, handler)
      if ((yield* store.waiting(name, { limit: 100, failed: false })).length === 0) break
      yield* Effect.sleep("5 millis")
    }
  }
  assert.deepStrictEqual(yield* store.waiting(name, { limit: 100, failed: false }), [], script.join(", "))
  const marks = (yield* takenOf(counting, id)).length
  return { attempts, events: planned.size, marks, stolen }
}, Effect.scoped)

describe("a handler in a transaction", () => {
  for (const [kind, stores] of everyKind) {
    withFresh(over(stores)).live(
      `writes exactly once over ${kind}: it fails, dies, is stopped in the middle, or its lease is taken over`,
      function* () {
        for (const plan of plans) {
          const { attempts, events, marks, stolen } = yield* handled([plan])
          assert.strictEqual(marks, events, plan)
          assert.strictEqual(attempts, events + (plan === "works" ? 0 : 1), plan)
          assert.strictEqual(stolen, plan === "loses its lease" ? 1 : 0, plan)
        }
        const scripts = fc.array(fc.constantFrom(...plans), { minLength: 2, maxLength: 5 })
        for (const script of fc.sample(scripts, { numRuns: 2 * rounds, seed: 11 })) {
          const { events, marks } = yield* handled(script)
          assert.strictEqual(marks, events, script.join(", "))
        }
      }
    )
  }
})

/** A worker with a store of its own, which is away where the test says so. */
const workerOf = Effect.fnUntraced(function* (handler: Handler<never>) {
  const outside = { away: false }
  const good = yield* EventConsumerStore
  const gate = <A>(effect: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.suspend(() => (outside.away ? Effect.die(new Error("the store is away")) : effect))
  const gated: EventConsumerStore["Service"] = {
    ...good,
    now: gate(good.now),
    take: (...args) => gate(good.take(...args)),
    claim: (options) => gate(good.claim(options)),
    renew: (...args) => gate(good.renew(...args)),
    expired: (...args) => gate(good.expired(...args)),
    settle: (...args) => gate(good.settle(...args)),
    untilDue: (name) => gate(good.untilDue(name))
  }
  const handlers = yield* Effect.provideService(EventHandlers.make, EventConsumerStore, gated)
  const start = (name: string) =>
    // Nobody waits for its end: it would drain for as long as its handler sleeps.
    Effect.forkDetach(handlers.run({ name, types: null, in_flight: 4, transactional: false }, handler), {
      startImmediately: true
    })
  return { outside, start }
})

const pass = Effect.fnUntraced(function* (seconds: number) {
  for (let passed = 0; passed < seconds * 4; passed++) yield* TestClock.adjust("250 millis")
})

/** Two workers of one consumer; the first has an event under way, and its handler ends after so many seconds. */
const twoWorkers = Effect.fnUntraced(function* (seconds: number) {
  const { id } = yield* newOrganisation()
  const name = yield* consumerFrom("now", ["donor.created"])
  const handledBy: Array<string> = []
  const first = yield* workerOf(() =>
    Effect.andThen(
      Effect.sync(() => handledBy.push("first")),
      Effect.sleep(`${seconds} seconds`)
    )
  )
  const second = yield* workerOf(() => Effect.sync(() => handledBy.push("second")))
  yield* first.start(name)
  yield* (yield* Outbox).append([yield* eventAbout(id, yield* freshId("donor"))])
  yield* pass(1)
  assert.deepStrictEqual(handledBy, ["first"])
  const left = Effect.flatMap(EventConsumerStore, (store) => store.waiting(name, { limit: 10, failed: false }))
  return { name, first, second, handledBy, left }
})

describe("a worker of a consumer", () => {
  const { effect } = withFresh(over(memory))

  /** Both are away for longer than a lease, in which the first worker's handler ends; then the second is back. */
  const outage = Effect.gen(function* () {
    const workers = yield* twoWorkers(30)
    yield* workers.second.start(workers.name)
    yield* pass(25)
    workers.first.outside.away = true
    workers.second.outside.away = true
    yield* pass(30)
    workers.second.outside.away = false
    return workers
  })

  effect("leaves what others hold to them after an outage, though their leases are over", function* () {
    const { first, handledBy, left } = yield* outage
    yield* pass(20)
    first.outside.away = false
    yield* pass(60)
    assert.deepStrictEqual(handledBy, ["first"])
    assert.deepStrictEqual(yield* left, [])
  })

  effect("takes over after an outage what nobody has recorded, once its owner had time", function* () {
    const { handledBy, left } = yield* outage
    yield* pass(30)
    assert.deepStrictEqual(handledBy, ["first"])
    yield* pass(30)
    assert.deepStrictEqual(handledBy, ["first", "second"])
    assert.deepStrictEqual(yield* left, [])
  })

  effect("that begins leaves others the time of a lease", function* () {
    const { first, handledBy, name, second } = yield* twoWorkers(90)
    first.outside.away = true
    yield* pass(40)
    yield* second.start(name)
    yield* pass(15)
    assert.deepStrictEqual(handledBy, ["first"])
    yield* pass(15)
    assert.deepStrictEqual(handledBy, ["first", "second"])
  })

  effect("takes over at once, at work, what a worker held that is gone", function* () {
    const { first, handledBy, name, second } = yield* twoWorkers(90)
    yield* second.start(name)
    yield* pass(30)
    first.outside.away = true
    yield* pass(25)
    assert.deepStrictEqual(handledBy, ["first", "second"])
  })
})
