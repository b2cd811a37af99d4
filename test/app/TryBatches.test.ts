import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { makeBatches } from "../../src/app/sharing/checkout/TryBatches.ts"
import { LockTimeout } from "../../src/ports/kernel/Transaction.ts"

/** Batches of texts, of which each is answered in capitals as soon as `go` says so; and what came together. */
const capitals = Effect.gen(function* () {
  const batches: Array<ReadonlyArray<string>> = []
  const go = yield* Deferred.make<void>()
  const ask = makeBatches((items: ReadonlyArray<string>) => {
    batches.push(items)
    return Effect.andThen(
      Deferred.await(go),
      items.includes("late")
        ? Effect.die(new LockTimeout())
        : items.some((item) => item.startsWith("broken"))
          ? Effect.die("broken")
          : Effect.succeed((item: string) => item.toUpperCase())
    )
  })
  const forked = (name: string, items: ReadonlyArray<string>) =>
    Effect.forEach(items, (item) => Effect.forkChild(Effect.exit(ask(name, item)), { startImmediately: true }))
  return { batches, forked, go } as const
})

it.effect("what comes while a batch is under way is the next one, and each is answered its own", () =>
  Effect.gen(function* () {
    const { batches, forked, go } = yield* capitals
    const asking = yield* forked("one", ["a", "b", "c", "d"])
    yield* Deferred.succeed(go, undefined)
    const answers = yield* Fiber.joinAll(asking)
    assert.deepStrictEqual(answers, ["A", "B", "C", "D"].map(Exit.succeed))
    assert.deepStrictEqual(batches, [["a"], ["b", "c", "d"]])
  })
)

it.effect("names do not wait for each other", () =>
  Effect.gen(function* () {
    const { batches, forked, go } = yield* capitals
    const asking = [...(yield* forked("one", ["a"])), ...(yield* forked("other", ["b"]))]
    assert.deepStrictEqual(batches, [["a"], ["b"]])
    yield* Deferred.succeed(go, undefined)
    assert.deepStrictEqual(yield* Fiber.joinAll(asking), ["A", "B"].map(Exit.succeed))
  })
)

it.effect("what breaks a batch fails alone, and each of the others is answered its own", () =>
  Effect.gen(function* () {
    const { batches, forked, go } = yield* capitals
    const asking = yield* forked("one", ["a", "b", "broken", "c"])
    yield* Deferred.succeed(go, undefined)
    const answers = yield* Fiber.joinAll(asking)
    assert.deepStrictEqual(answers, [Exit.succeed("A"), Exit.succeed("B"), Exit.die("broken"), Exit.succeed("C")])
    assert.deepStrictEqual(batches, [["a"], ["b", "broken", "c"], ["b"], ["broken"], ["c"]])
    assert.deepStrictEqual(yield* Fiber.joinAll(yield* forked("one", ["d"])), [Exit.succeed("D")])
  })
)

it.effect("what fails for another reason than one of a batch is given up soon", () =>
  Effect.gen(function* () {
    const { batches, forked, go } = yield* capitals
    const asking = yield* forked("one", ["a", "broken 1", "broken 2", "b"])
    const waiting = yield* forked("other", ["a", "b", "late"])
    yield* Deferred.succeed(go, undefined)
    const answers = yield* Fiber.joinAll([...asking, ...waiting])
    const [given, broken, late] = [Exit.succeed("A"), Exit.die("broken"), Exit.die(new LockTimeout())]
    assert.deepStrictEqual(answers, [given, broken, broken, broken, given, late, late])
    assert.sameDeepMembers(batches, [
      ...[["a"], ["broken 1", "broken 2", "b"], ["broken 1"], ["broken 2", "b"]],
      ...[["a"], ["b", "late"]]
    ])
  })
)

it.effect("whoever is interrupted while others are asked for has no one wait for it", () =>
  Effect.gen(function* () {
    const { batches, forked, go } = yield* capitals
    const [first, second, third] = yield* forked("one", ["a", "b", "c"])
    const left = yield* Effect.forkChild(Fiber.interrupt(second ?? assert.fail()), { startImmediately: true })
    yield* Deferred.succeed(go, undefined)
    yield* Fiber.join(left)
    assert.deepStrictEqual(yield* Fiber.join(first ?? assert.fail()), Exit.succeed("A"))
    assert.deepStrictEqual(yield* Fiber.join(third ?? assert.fail()), Exit.succeed("C"))
    assert.deepStrictEqual(batches, [["a"], ["b", "c"]])
  })
)
