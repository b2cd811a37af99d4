import { Effect, type Layer, Option, Result } from "effect"
import fc from "fast-check"
import { SecretBox } from "../../ports/kernel/SecretBox.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { type Check, lawsIn, must, runsOf, same, type Thoroughness } from "./Suite.ts"

/** A secret box under test. */
export interface SecretBoxSubject<E> extends Thoroughness {
  /** A box with a ring of these keys, newest first. The same name is the same key in every ring. */
  readonly layer: (ring: readonly [string, ...ReadonlyArray<string>]) => Layer.Layer<SecretBox, E>
}

const bound = "SecretBox.open MUST fail when the sealed text was made for another context, was changed, or its key"

const text = Generators.text(40)

const opened = (sealed: string, context: string) => SecretBox.use((box) => Effect.option(box.open(sealed, context)))

const isClosed = Effect.fnUntraced(function* (sealed: string, context: string) {
  const result = yield* Effect.result((yield* SecretBox).open(sealed, context))
  if (Result.isSuccess(result)) assert.isTrue(false, `${sealed} was opened`)
  else assert.strictEqual(result.failure._tag, "SealBroken")
})

const changes = <E>({ layer, ...given }: SecretBoxSubject<E>): ReadonlyArray<Check> => [
  lawsIn(layer(["first"])).property(
    "what was sealed does not open for another context",
    [bound],
    runsOf(given),
    fc.tuple(text, text, text),
    function* ([secret, context, other]) {
      const sealed = yield* (yield* SecretBox).seal(secret, context)
      if (context !== other) yield* isClosed(sealed, other)
    }
  ),

  lawsIn(layer(["first"])).property(
    "what was sealed does not open when any character was changed, added or taken away",
    [bound],
    runsOf(given),
    fc.tuple(text, fc.nat(), fc.constantFrom("", "A", "B", "_", ".", "=", "é")),
    function* ([secret, position, replacement]) {
      const sealed = yield* (yield* SecretBox).seal(secret, "context")
      const at = position % sealed.length
      const changed = sealed.slice(0, at) + replacement + sealed.slice(at + 1)
      if (changed !== sealed) yield* isClosed(changed, "context")
      yield* isClosed(`${sealed}${replacement === "" ? "A" : replacement}`, "context")
    }
  ),

  lawsIn(layer(["first"])).property(
    "what is no sealed text does not open",
    [bound],
    runsOf(given),
    text,
    function* (sealed) {
      yield* isClosed(sealed, "context")
    }
  )
]

const rings = <E>({ layer }: SecretBoxSubject<E>): ReadonlyArray<Check> => [
  must("every key of the ring opens, the newest one seals, and one that left opens no more", [bound], function* () {
    const seal = SecretBox.use((box) => box.seal("secret", "context"))
    const old = yield* Effect.provide(seal, layer(["first"]))
    const fresh = yield* Effect.provide(seal, layer(["second", "first"]))
    for (const sealed of [old, fresh]) {
      same(yield* Effect.provide(opened(sealed, "context"), layer(["third", "second", "first"])), Option.some("secret"))
    }
    same(yield* Effect.provide(opened(fresh, "context"), layer(["second"])), Option.some("secret"))
    yield* Effect.provide(isClosed(fresh, "context"), layer(["first"]))
    yield* Effect.provide(isClosed(old, "context"), layer(["second"]))
  })
]

/** The laws of {@link SecretBox}. */
export const secretBoxes = <E>(subject: SecretBoxSubject<E>): ReadonlyArray<Check> => [
  lawsIn(subject.layer(["first"])).property(
    "what was sealed opens, and does not show the secret",
    [],
    runsOf(subject),
    fc.tuple(text, text),
    function* ([secret, context]) {
      const sealed = yield* (yield* SecretBox).seal(secret, context)
      assert.strictEqual(yield* (yield* SecretBox).open(sealed, context), secret)
      assert.notStrictEqual(yield* (yield* SecretBox).seal(secret, context), sealed, "the same text twice")
      if (secret.length > 8) assert.isFalse(sealed.includes(secret), "the secret can be read")
    }
  ),

  ...changes(subject),
  ...rings(subject)
]
