import { Deferred, Effect, Fiber } from "effect"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { makeSharedReads } from "../../src/adapters/pages/SharedReads.ts"

/** Something is written, somebody asks, somebody who asked goes away, or the read that is under way comes to its end. */
type Step = "write" | "ask" | "leave" | "end"

const steps = fc.array(fc.constantFrom<Step>("write", "ask", "ask", "leave", "end"), { maxLength: 60 })

/** A source whose reads end when they are told to, with what was written when they began. */
const makeSource = () => {
  const reads: Array<Deferred.Deferred<number>> = []
  let written = 0
  let begun = 0
  const read = Effect.suspend(() => {
    const seen = written
    const end = Deferred.makeUnsafe<number>()
    begun++
    reads.push(end)
    return Effect.as(Deferred.await(end), seen)
  })
  return {
    read,
    write: () => ++written,
    now: () => written,
    begun: () => begun,
    underWay: () => reads.length,
    end: Effect.suspend(() => {
      const [oldest] = reads.splice(0, 1)
      return oldest === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(oldest, 0))
    })
  }
}

const settle = Effect.repeat(Effect.yieldNow, { times: 30 })

test("everybody is shown what was written when they asked, or later, and one read is under way at a time", () =>
  fc.assert(
    fc.asyncProperty(steps, (order) =>
      Effect.runPromise(
        Effect.gen(function* () {
          const source = makeSource()
          const shared = makeSharedReads<number, never>()
          const waiting: Array<{ asked: number; fiber: Fiber.Fiber<number> }> = []
          let asks = 0
          for (const step of order) {
            if (step === "write") source.write()
            if (step === "ask") {
              asks++
              waiting.push({ asked: source.now(), fiber: yield* Effect.forkChild(shared("page", source.read)) })
            }
            if (step === "leave") yield* Effect.forEach(waiting.splice(0, 1), ({ fiber }) => Fiber.interrupt(fiber))
            if (step === "end") yield* source.end
            yield* settle
            expect(source.underWay()).toBeLessThanOrEqual(1)
          }
          while (source.underWay() > 0) {
            yield* source.end
            yield* settle
          }
          for (const { asked, fiber } of waiting) expect(yield* Fiber.join(fiber)).toBeGreaterThanOrEqual(asked)
          expect(source.begun()).toBeLessThanOrEqual(asks)
        })
      )
    )
  ))

test("many who ask at one moment are two reads, and others are not kept waiting by them", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const source = makeSource()
      const shared = makeSharedReads<number, never>()
      const crowd = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 50 }, () => shared("crowded", source.read)),
          { concurrency: "unbounded" }
        )
      )
      yield* settle
      expect(yield* shared("other", Effect.succeed(7))).toBe(7)
      for (let round = 0; round < 2; round++) {
        yield* source.end
        yield* settle
      }
      yield* Fiber.join(crowd)
      expect(source.begun()).toBe(2)
    })
  ))

test("a failure is everybody's who waited for that read, and the next one reads again", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const shared = makeSharedReads<number, string>()
      const fails = shared("page", Effect.andThen(Effect.yieldNow, Effect.fail("away")))
      const both = Effect.all([Effect.flip(fails), Effect.flip(fails)], { concurrency: "unbounded" })
      expect(yield* both).toEqual(["away", "away"])
      expect(yield* shared("page", Effect.succeed(1))).toBe(1)
    })
  ))
