import { assert, it } from "@effect/vitest"
import { DateTime, Effect, HashMap, Layer } from "effect"
import * as LocalRateLimiter from "../../src/adapters/memory/access/RateLimiter.ts"
import { Memory } from "../../src/adapters/memory/Memory.ts"
import * as Stores from "../../src/adapters/memory/Stores.ts"
import { IdempotencyStore, RateLimiter } from "../../src/ports.ts"
import { conformance, rateLimiter } from "../../src/testing/Conformance.ts"
import { cases } from "../support/Rounds.ts"
import { secretBox } from "./Seal.ts"

conformance("memory", { layer: Layer.provide(Stores.layer, secretBox), serial: true, runs: cases(30) })

rateLimiter("memory", { layer: (size) => LocalRateLimiter.layer({ size }), readsClock: true, runs: 200 })

it.effect("an answer with a secret rests sealed in memory", () =>
  Effect.gen(function* () {
    const store = yield* IdempotencyStore
    const memory = yield* Memory
    const now = yield* DateTime.now
    const body = Buffer.from('{"secret":"almwh_canary"}')
    const answer = { status: 201, content_type: "application/json", body }
    for (const [key, secret] of [
      ["sealed", true],
      ["plain", false]
    ] as const) {
      const scope = { organisation_id: "o", api_key_id: "k", generation: 1, method: "POST", path: "/", key }
      yield* store.keep(scope, "hash", answer, { secret, now })
    }
    const kept = yield* memory.read((state) => HashMap.toValues(state.answers).map(({ answer }) => answer?.body))
    assert.lengthOf(kept, 2)
    const resting = kept.filter((each) => each !== undefined && "sealed" in each)
    assert.lengthOf(resting, 1)
    const text = JSON.stringify(resting)
    assert.notInclude(text, "canary")
    assert.notInclude(text, body.toString("base64"))
  }).pipe(Effect.provide(Layer.provide(Stores.layer, secretBox)))
)

it.effect("a limiter in memory remembers so many buckets, and forgets the one that was idle longest", () =>
  Effect.gen(function* () {
    const limiter = yield* RateLimiter
    const isRefused = (id: string) => Effect.map(limiter.take(id), ({ allowed }) => !allowed)
    for (const id of ["a", "b"]) assert.isFalse(yield* isRefused(id))
    assert.isTrue(yield* isRefused("a"), "two are remembered")
    assert.isFalse(yield* isRefused("c"))
    assert.isTrue(yield* isRefused("a"), "used since b was")
    assert.isFalse(yield* isRefused("b"), "forgotten when c came")
  }).pipe(Effect.provide(LocalRateLimiter.layer({ size: { perSecond: 1, burst: 1 }, capacity: 2 })))
)
