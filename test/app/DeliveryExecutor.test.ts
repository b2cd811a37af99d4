import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Transport from "../../src/adapters/webhooks/Transport.ts"
import { makeDeliveryExecutor } from "../../src/app/outbox/delivery/DeliveryExecutor.ts"
import { DeliveryStore, WebhookSigner } from "../../src/ports.ts"
import { receiver } from "../adapters/Receivers.ts"
import { commit, layer, makeEndpoint } from "./DispatcherWorld.ts"

const timeoutMillis = 200

/** Signs, and stops the whole process for so long before it answers, milliseconds. */
const signerThatStops = (stopped: { millis: number }) =>
  Layer.succeed(WebhookSigner, {
    sign: () => {
      if (stopped.millis > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stopped.millis)
      return "v1,signature"
    }
  })

describe("an attempt", () => {
  it.live("whose process is stopped after it looked at its lease, past the deadline, sends nothing", () => {
    const stopped = { millis: 0 }
    const outside = Layer.merge(Transport.layerWith({ timeoutMillis }), signerThatStops(stopped))
    return Effect.gen(function* () {
      let requests = 0
      const { url } = yield* receiver((incoming, response) => {
        requests += 1
        incoming.resume()
        response.writeHead(204).end()
      })
      const endpoint = yield* makeEndpoint({ url }, true)
      yield* commit(endpoint)
      const store = yield* DeliveryStore
      const room = { known: new Map(), others: 1 }
      const asked = { limit: 1, endpoints: room, organisations: room, lease_id: "lease", lease_millis: 20_000 }
      const { at, claimed } = yield* store.claim(asked)
      const [first] = claimed
      if (first === undefined) return assert.fail("nothing was claimed")
      const attempt = yield* makeDeliveryExecutor
      const attempted = (millis: number) => {
        stopped.millis = millis
        const due = { ...first, webhook_allowed_cidrs: ["127.0.0.0/8"] }
        return attempt(due, { passed: Effect.succeed(0), storeTime: () => at })
      }
      const late = yield* attempted(timeoutMillis + 50)
      assert.deepInclude(late.attempt, { response_status: null, error: "timeout" })
      assert.strictEqual(requests, 0)
      const inTime = yield* attempted(0)
      assert.deepInclude(inTime.attempt, { response_status: 204, error: null })
      assert.strictEqual(requests, 1)
    }).pipe(Effect.scoped, Effect.provide(outside), Effect.provide(layer))
  })
})
