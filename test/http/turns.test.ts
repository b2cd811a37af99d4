import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import fc from "fast-check"
import { makeAnswerBudget } from "../../src/adapters/http/pipeline/BodyMemory.ts"
import { Turns } from "../../src/adapters/http/pipeline/Turns.ts"
import { forAll } from "../../src/testing/conformance/Suite.ts"
import { live } from "../support/Steps.ts"

/** Holds the loop, as the reading of a large body does. */
const busy = (millis: number): void => {
  for (const until = performance.now() + millis; performance.now() < until; );
}

describe("turns of the event loop", () => {
  live("let another organisation go on before the many requests of one that came first", function* () {
    const turns = new Turns()
    const order: Array<string> = []
    const request = (who: string) =>
      turns.within(
        who,
        0,
        Effect.sync(() => {
          order.push(who)
          busy(15)
        })
      )
    const many = yield* Effect.forkChild(Effect.forEach(Array(12).fill("many"), request, { concurrency: "unbounded" }))
    yield* Effect.yieldNow
    yield* request("one")
    yield* Fiber.join(many)
    assert.isAtMost(order.indexOf("one"), 3)
    assert.lengthOf(order, 13)
  })

  const lists = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.integer({ min: 1, max: 10 })), { maxLength: 40 })

  it.live("have no more records under way than there is room for, and let every list go on in the end", () =>
    forAll(
      30,
      lists,
      Effect.fnUntraced(function* (asked) {
        const turns = new Turns(20, 10)
        const under = new Map<string, number>()
        let answered = 0
        const add = (who: string, records: number) => {
          under.set(who, (under.get(who) ?? 0) + records)
          assert.isAtMost(under.get(who) ?? 0, 10)
          assert.isAtMost(
            [...under.values()].reduce((sum, each) => sum + each, 0),
            20
          )
        }
        yield* Effect.forEach(
          asked,
          Effect.fnUntraced(function* ([who, records]) {
            yield* turns.within(
              who,
              records,
              Effect.gen(function* () {
                add(who, records)
                yield* Effect.sleep(records % 2)
                add(who, -records)
              })
            )
            answered += 1
          }),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(answered, asked.length)
      })
    )
  )

  live("come to each in the end, also where the process stands still for longer than a turn", function* () {
    let now = 0
    // Whenever the time is looked at, more of it has passed than a turn has.
    const turns = new Turns(10, 10, () => {
      now += 50
      return now
    })
    const asked = ["a", "b", "a", "c"].flatMap((who) => [0, 8].map((size) => turns.within(who, size, Effect.void)))
    assert.lengthOf(yield* Effect.all(asked, { concurrency: "unbounded" }), asked.length)
  })

  live("are given back by who leaves at the moment in which its turn comes", function* () {
    const turns = new Turns(10, 10)
    const end = yield* Deferred.make<void>()
    yield* Effect.forkChild(turns.within("a", 10, Deferred.await(end)))
    const waiting = yield* Effect.forkChild(turns.within("a", 10, Effect.never))
    yield* Effect.sleep(2)
    yield* Deferred.succeed(end, undefined)
    setTimeout(() => waiting.interruptUnsafe(), 0)
    yield* Fiber.await(waiting)
    yield* turns.within("a", 10, Effect.void)
  })

  live("are given up by who waits no longer", function* () {
    const turns = new Turns(10, 10)
    const end = yield* Deferred.make<void>()
    yield* Effect.forkChild(turns.within("a", 10, Deferred.await(end)))
    const waiting = yield* Effect.forkChild(turns.within("a", 1, Effect.never))
    yield* Effect.sleep(2)
    yield* Fiber.interrupt(waiting)
    yield* Deferred.succeed(end, undefined)
    yield* turns.within("a", 10, Effect.void)
  })
})

describe("the memory of answers", () => {
  it("is full for an organisation, or for all, until what nobody read is forgotten", () => {
    const answers = makeAnswerBudget(100, 60)
    const forget = [answers.hold("a", 70), answers.hold("b", 20)]
    assert.deepStrictEqual(["a", "b", "c"].map(answers.isFull), [true, false, false])
    forget.push(answers.hold("c", 20))
    assert.deepStrictEqual(["a", "b", "c"].map(answers.isFull), [true, true, true])
    for (const each of forget) each()
    assert.deepStrictEqual(["a", "b", "c"].map(answers.isFull), [false, false, false])
  })
})
