import { Effect, type Layer, Option } from "effect"
import fc from "fast-check"
import { type MacPurpose, Macs } from "../../ports/kernel/Macs.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { type Check, law, lawsIn, runsOf, same, type Thoroughness } from "./Suite.ts"

/** Message authentication codes under test. */
export interface MacsSubject<E> extends Thoroughness {
  /** Codes with a ring of these keys, newest first. The same name is the same key in every ring. */
  readonly layer: (ring: readonly [string, ...ReadonlyArray<string>]) => Layer.Layer<Macs, E>
}

const isStable = "Macs.make MUST be the same each time"
const isBound = "Macs.make MUST depend on key, purpose and text alone"
const isFalse = "Macs.verify MUST take the same time wherever the two differ; false when the ring has no such key"

/** Characters of base64url that hold 128 bits. */
const leastCharacters = 22

const purposes: ReadonlyArray<MacPurpose> = [
  "card_pass",
  "email_code",
  "invitation",
  "mail_address",
  "passphrase",
  "personalised_link",
  "request_body",
  "test_notice"
]

const text = Generators.text(40)

const made = Effect.fnUntraced(function* (purpose: MacPurpose, text: string, position = 0) {
  const macs = yield* Macs
  return Option.getOrThrow(yield* macs.make(macs.keyIds[position] ?? "", purpose, text))
})

/** The laws of {@link Macs}. How long a comparison takes is not measured. */
export const macRings = <E>({ layer, ...given }: MacsSubject<E>): ReadonlyArray<Check> => [
  lawsIn(layer(["first"])).property(
    "a code is the same each time, of 128 bits or more in base64url, and verifies",
    [isStable, isFalse],
    runsOf(given),
    fc.tuple(fc.constantFrom(...purposes), text),
    function* ([purpose, text]) {
      const service = yield* Macs
      const mac = yield* made(purpose, text)
      assert.matches(mac, /^[\w-]+$/)
      assert.isAtLeast(mac.length, leastCharacters)
      assert.strictEqual(yield* made(purpose, text), mac)
      const [newest] = service.keyIds
      assert.isTrue(yield* service.verify(newest, purpose, text, mac))
      for (const other of ["", mac.slice(0, -1), `${mac}A`, `${mac.startsWith("A") ? "B" : "A"}${mac.slice(1)}`]) {
        assert.isFalse(yield* service.verify(newest, purpose, text, other), other)
      }
    }
  ),

  lawsIn(layer(["second", "first"])).property(
    "codes of other keys, purposes and texts differ",
    [isBound],
    runsOf(given),
    fc.uniqueArray(text, { minLength: 1, maxLength: 3 }),
    function* (texts) {
      const all = yield* Effect.forEach(texts, (text) =>
        Effect.forEach(purposes, (purpose) => Effect.all([made(purpose, text), made(purpose, text, 1)]))
      )
      assert.lengthOf(new Set(all.flat(2)), texts.length * purposes.length * 2)
      const { keyIds, verify } = yield* Macs
      const older = yield* made("invitation", "text", 1)
      same(yield* Effect.forEach(keyIds, (key) => verify(key, "invitation", "text", older)), [false, true])
    }
  ),

  law("a key makes the same codes wherever it stands in the ring; one that left makes and verifies none", function* () {
    const mac = yield* Effect.provide(made("invitation", "text"), layer(["first"]))
    assert.strictEqual(yield* Effect.provide(made("invitation", "text", 1), layer(["second", "first"])), mac)
    const [first] = yield* Effect.provide(
      Macs.use((each) => Effect.succeed(each.keyIds)),
      layer(["first"])
    )
    const gone = Macs.use((each) =>
      Effect.all([each.make(first, "invitation", "text"), each.verify(first, "invitation", "text", mac)])
    )
    same(yield* Effect.provide(gone, layer(["second"])), [Option.none(), false])
  })
]
