import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import fc from "fast-check"
import { makeFairSlots } from "../../src/adapters/postgres/connection/FairSlots.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { live } from "../support/Steps.ts"

/** One who asked for a place. */
interface Holder {
  readonly who: string
  readonly done: Deferred.Deferred<void>
  readonly fiber: Fiber.Fiber<void, unknown>
  readonly state: { isPlaced: boolean }
}

type Step = { readonly take: string } | { readonly give: number } | { readonly leave: number }

const who = fc.constantFrom("a", "b", "c", "d")

const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: who.map((take): Step => ({ take })) },
    { weight: 2, arbitrary: fc.nat(50).map((give): Step => ({ give })) },
    { weight: 1, arbitrary: fc.nat(50).map((leave): Step => ({ leave })) }
  ),
  { maxLength: 60 }
)

const settled = Effect.andThen(
  Effect.yieldNow,
  Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
)

const start = Effect.fnUntraced(function* (places: ReturnType<typeof makeFairSlots>, name: string) {
  const done = yield* Deferred.make<void>()
  const state = { isPlaced: false }
  const fiber = yield* Effect.forkChild(
    Effect.scoped(
      Effect.gen(function* () {
        yield* places.take(name)
        state.isPlaced = true
        yield* Deferred.await(done)
      })
    )
  )
  const holder: Holder = { who: name, done, fiber, state }
  return holder
})

const nth = <A>(all: ReadonlyArray<A>, n: number): A | undefined => all[n % Math.max(1, all.length)]

describe("places that are shared out", () => {
  it.live("never exceed their number, leave nobody waiting who may have one, and are not lost", () =>
    Effect.promise(() =>
      forEveryAsyncWith({ numRuns: 60 }, fc.integer({ min: 1, max: 9 }), steps, (size, all) =>
        Effect.runPromise(
          Effect.gen(function* () {
            const places = makeFairSlots(size, 60_000)
            let holders: ReadonlyArray<Holder> = []
            const held = (name: string) => holders.filter(({ state, who }) => state.isPlaced && who === name).length
            const check = () => {
              const free = size - holders.filter(({ state }) => state.isPlaced).length
              assert.isAtLeast(free, 0)
              for (const { state, who } of holders) if (!state.isPlaced) assert.isAtLeast(held(who), free)
              // Who has more than one left at least half of what there was to the others.
              for (const { who } of holders) assert.isAtMost(held(who), Math.ceil(size / 2))
            }
            const end = Effect.fnUntraced(function* (one: Holder | undefined) {
              if (one === undefined) return
              yield* one.state.isPlaced ? Deferred.succeed(one.done, undefined) : Fiber.interrupt(one.fiber)
              yield* Fiber.await(one.fiber)
              holders = holders.filter((each) => each !== one)
            })
            for (const step of all) {
              if ("take" in step) holders = [...holders, yield* start(places, step.take)]
              else if ("give" in step)
                yield* end(
                  nth(
                    holders.filter(({ state }) => state.isPlaced),
                    step.give
                  )
                )
              else
                yield* end(
                  nth(
                    holders.filter(({ state }) => !state.isPlaced),
                    step.leave
                  )
                )
              yield* settled
              check()
            }
            while (holders.length > 0) yield* end(holders.find(({ state }) => state.isPlaced))
            // All of them are there again: as many as there are can be had, each by another.
            const last = yield* Effect.forEach(Array.from({ length: size }), (_, n) => start(places, `last ${n}`))
            yield* settled
            assert.isTrue(last.every(({ state }) => state.isPlaced))
            yield* Effect.forEach(last, ({ fiber }) => Fiber.interrupt(fiber))
          })
        )
      )
    )
  )

  live("go in turns: whoever asks once is not behind all that another asked for before", function* () {
    const places = makeFairSlots(1, 60_000)
    const greedy = yield* Effect.forEach(Array.from({ length: 20 }), () => start(places, "greedy"))
    const modest = yield* start(places, "modest")
    yield* settled
    const [first] = greedy
    assert.isTrue(first?.state.isPlaced)
    if (first !== undefined) yield* Deferred.succeed(first.done, undefined)
    yield* settled
    assert.isTrue(modest.state.isPlaced)
    yield* Effect.forEach([...greedy, modest], ({ fiber }) => Fiber.interrupt(fiber))
  })

  live("are waited for within a bound, and it is told whether one waited for oneself", function* () {
    const places = makeFairSlots(2, 50)
    const mine = yield* start(places, "a")
    yield* settled
    const own = yield* Effect.exit(Effect.scoped(places.take("a")))
    assert.isTrue(Exit.isFailure(own) && Object(Cause.squash(own.cause)).holdsSome)
    const others = yield* start(places, "b")
    yield* settled
    const none = yield* Effect.exit(Effect.scoped(places.take("c")))
    assert.isTrue(Exit.isFailure(none) && !Object(Cause.squash(none.cause)).holdsSome)
    yield* Effect.forEach([mine, others], ({ fiber }) => Fiber.interrupt(fiber))
  })
})
