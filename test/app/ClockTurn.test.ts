import { assert, describe } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryStores from "../../src/adapters/memory/Stores.ts"
import { makeClockTurns } from "../../src/app/outbox/sandbox/ClockTurn.ts"
import { OrganisationId } from "../../src/domain/kernel/Ids.ts"
import { SandboxClockStore } from "../../src/ports/access/SandboxClockStore.ts"
import { secretBox } from "../conformance/Seal.ts"
import { withFresh } from "../support/Steps.ts"

const { effect } = withFresh(Layer.provide(MemoryStores.layer, secretBox))

const id = OrganisationId.make("org_01jqz6x8h4e5vb9m2k7ncw3t5d")
const other = OrganisationId.make("org_01jqz6x8h4e5vb9m2k7ncw3t5e")

const busy = Effect.fail("busy")

/** Requests in turn, each of which goes on until the gate is opened. */
const requests = Effect.gen(function* () {
  const gate = yield* Deferred.make<void>()
  const inTurn = yield* makeClockTurns
  let begun = 0
  const request = (holder: string, of = id) =>
    Effect.forkChild(
      Effect.flip(
        Effect.flip(
          inTurn(of, holder, {
            busy,
            use: () =>
              Effect.andThen(
                Effect.sync(() => (begun += 1)),
                Deferred.await(gate)
              )
          })
        )
      ).pipe(Effect.match({ onFailure: (why) => why, onSuccess: () => "moved" }))
    )
  return { gate, request, begun: () => begun } as const
})

const settle = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow)

const claim = (holder: string) => SandboxClockStore.use((store) => store.claim(id, holder, Duration.minutes(1)))

describe("requests that move one clock", () => {
  effect(
    "take turns: one moves it, one waits, and others are told at once; another organisation's is its own",
    function* () {
      const { begun, gate, request } = yield* requests
      const first = yield* Effect.forEach(["a", "b", "c", "d", "e"], (holder) => request(holder))
      const elsewhere = yield* request("f", other)
      yield* settle
      assert.strictEqual(begun(), 2)
      const [a, b, ...rest] = first
      for (const each of rest) assert.strictEqual(yield* Fiber.join(each), "busy")
      yield* Deferred.succeed(gate, undefined)
      for (const each of [a, b, elsewhere]) assert.strictEqual(each && (yield* Fiber.join(each)), "moved")
      assert.strictEqual(begun(), 3)
      assert.strictEqual(yield* Fiber.join(yield* request("g")), "moved")
      assert.isTrue(yield* claim("h"), "it was let go")
    }
  )

  effect("hold it for as long as they take, and let it go when they are interrupted", function* () {
    const { request } = yield* requests
    const moving = yield* request("a")
    yield* settle
    for (let seconds = 0; seconds < 60; seconds += 1) {
      yield* TestClock.adjust(Duration.seconds(1))
      assert.isFalse(yield* claim("b"))
    }
    yield* Fiber.interrupt(moving)
    assert.isTrue(yield* claim("b"))
    const refused = yield* request("c")
    assert.strictEqual(yield* Fiber.join(refused), "busy", "another process moves it")
  })
})
