import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, ManagedRuntime, Result } from "effect"
import fc from "fast-check"
import * as Stores from "../../src/adapters/memory/Stores.ts"
import type { IdempotencyScope } from "../../src/domain/access/Idempotency.ts"
import { EventId } from "../../src/domain/kernel/Ids.ts"
import { parse } from "../../src/domain/kernel/Listing.ts"
import { IdempotencyStore, Outbox, Transaction } from "../../src/ports.ts"
import * as Generators from "../../src/testing/Generators.ts"
import { type KeyedOutcome, type KeyedSystem, oneEffect, type Pause } from "../../src/testing/Interleavings.ts"
import { secretBox } from "../conformance/Seal.ts"
import { rounds } from "../support/Rounds.ts"
import { keyedModel } from "./KeyedModel.ts"

const everything = Result.getOrThrow(parse({ filters: {} }, [["limit", "100"]]))
const now = DateTime.makeUnsafe(0)
const [event] = fc.sample(Generators.event, { numRuns: 1, seed: 1 })

/** The path of a keyed request through the ports: reserve, write, keep the answer, all in one transaction. */
const throughPorts = async (): Promise<KeyedSystem> => {
  const about = event ?? assert.fail()
  const context = await ManagedRuntime.make(Layer.provide(Stores.layer, secretBox)).context()
  const scope: IdempotencyScope = {
    organisation_id: about.organisation_id,
    api_key_id: "key",
    generation: 1,
    method: "POST",
    path: "/donors",
    key: "k"
  }
  let runs = 0

  const request = (body_hash: string, pause: Pause) => {
    const paused = (label: string) => Effect.promise(() => pause(label))
    const keyed = Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const reservation = yield* store.reserve(scope, [body_hash], now)
      if (reservation._tag === "Replay") {
        return { _tag: "Replay", answer: new TextDecoder().decode(reservation.answer.body) } satisfies KeyedOutcome
      }
      if (reservation._tag !== "Run") return reservation
      yield* paused("the key is reserved")
      const answer = `answer ${++runs}`
      yield* (yield* Outbox).append([{ ...about, id: EventId.make(`evt_0${String(runs).padStart(25, "0")}`) }])
      yield* paused("the operation ran")
      const body = new TextEncoder().encode(answer)
      yield* store.keep(scope, body_hash, { status: 201, content_type: "text/plain", body }, { secret: false, now })
      yield* paused("the answer is kept")
      return { _tag: "Ran", answer } satisfies KeyedOutcome
    })
    const whole = Effect.gen(function* () {
      yield* paused("it arrives")
      const outcome = yield* (yield* Transaction).run(keyed)
      yield* paused("all is committed, the answer is not sent")
      return outcome
    })
    return Effect.runPromiseWith(context)(whole)
  }

  const effects = () =>
    Effect.runPromiseWith(context)(
      Effect.flatMap(Outbox, (outbox) => outbox.list(about.organisation_id, everything)).pipe(
        Effect.map(({ data }) => data.length),
        Effect.orDie
      )
    )

  return { request, effects }
}

describe("a key has one effect, under any interleaving and any loss", () => {
  it("as the domain decides", () => oneEffect(() => keyedModel(), { runs: 500 * rounds }))

  it("through the ports, on the stores in memory", () => oneEffect(throughPorts, { runs: 150 * rounds }))
})
