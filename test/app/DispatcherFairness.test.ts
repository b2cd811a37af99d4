import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import type { WebhookEndpoint } from "../../src/domain/outbox/WebhookEndpoint.ts"
import { withFresh } from "../support/Steps.ts"
import { answerWith, commit, layer, makeEndpoint, pass, settleDown, start, timedOut, World } from "./DispatcherWorld.ts"

const quietly = Logger.layer([])

/** Endpoints, so many to an organisation, each with a backlog. */
const makeCrowd = Effect.fnUntraced(function* (tenants: number, each: number, backlog: number) {
  const crowd: Array<WebhookEndpoint> = []
  for (let tenant = 0; tenant < tenants; tenant++) {
    const first = yield* makeEndpoint({ event_types: ["donor.created"] })
    crowd.push(first)
    for (let n = 1; n < each; n++) crowd.push(yield* makeEndpoint({ organisation_id: first.organisation_id }))
    // Each event of an organisation goes to all of its endpoints.
    for (let n = 0; n < backlog; n++) yield* commit(first)
  }
  return new Set(crowd.map(({ url }) => url))
})

/** The longest that a commit of the endpoint waited for its exchange, milliseconds: one a second, for so many seconds. */
const longestWait = Effect.fnUntraced(function* (endpoint: WebhookEndpoint, seconds: number) {
  const { exchanges } = yield* World
  let longest = 0
  for (let second = 0; second < seconds; second++) {
    const id = yield* commit(endpoint)
    yield* settleDown
    let waited = 0
    while (!exchanges.some((each) => each.id === id) && waited < 5_000) {
      yield* pass("5 millis")
      waited += 5
    }
    longest = Math.max(longest, waited)
    yield* pass(`${1_000 - (waited % 1_000)} millis`)
  }
  return longest
})

const soon = 100

const { effect } = withFresh(Layer.merge(layer, quietly))

describe("a healthy endpoint", () => {
  effect("waits for no other tenant's backlog", function* () {
    const world = yield* World
    const healthy = yield* makeEndpoint()
    const greedy = yield* makeCrowd(1, 20, 60)
    world.answer = ({ url }) => Effect.as(Effect.sleep(greedy.has(url) ? "200 millis" : "5 millis"), answerWith(200))
    yield* start
    assert.isAtMost(yield* longestWait(healthy, 3), soon)
    assert.isAtLeast(world.exchanges.filter(({ url }) => greedy.has(url)).length, 500, "the greedy one is served, too")
  })

  for (const [tenants, each] of [
    [1, 1],
    [1, 16],
    [7, 20]
  ] as const) {
    effect(`waits for none of ${tenants * each} that hang`, function* () {
      const world = yield* World
      const healthy = yield* makeEndpoint()
      const hanging = yield* makeCrowd(tenants, each, 8)
      world.answer = ({ url }) => (hanging.has(url) ? timedOut : Effect.as(Effect.sleep("5 millis"), answerWith(200)))
      yield* start
      assert.isAtMost(yield* longestWait(healthy, 30), soon)
      const underWay = world.exchanges.filter(({ to, url }) => hanging.has(url) && to === Number.POSITIVE_INFINITY)
      assert.isAtMost(underWay.length, tenants * each, "each that hangs has one place at most by then")
    })
  }

  effect("waits for none of its own organisation's that hang", function* () {
    const world = yield* World
    const healthy = yield* makeEndpoint()
    const hanging = new Set<string>()
    for (let n = 0; n < 19; n++) {
      hanging.add((yield* makeEndpoint({ organisation_id: healthy.organisation_id })).url)
    }
    world.answer = ({ url }) => (hanging.has(url) ? timedOut : Effect.as(Effect.sleep("5 millis"), answerWith(200)))
    yield* start
    const { exchanges } = world
    for (let second = 0; second < 20; second++) {
      yield* commit(healthy)
      yield* pass("1 second")
      const sent = exchanges.filter(({ url }) => url === healthy.url)
      assert.strictEqual(sent.length, second + 1)
    }
  })
})
