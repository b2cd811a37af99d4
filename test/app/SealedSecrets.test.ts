import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import fc from "fast-check"
import * as EncryptionKeys from "../../src/adapters/crypto/EncryptionKeys.ts"
import * as Tokens from "../../src/adapters/crypto/Tokens.ts"
import * as Stores from "../../src/adapters/memory/Stores.ts"
import { SealedSecrets } from "../../src/app/access/SealedSecrets.ts"
import { faultOf } from "../../src/domain/access/KeyUsage.ts"
import type { WebhookEndpoint } from "../../src/domain/outbox/WebhookEndpoint.ts"
import { SecretBox as Box, SealedStore, Transaction, WebhookEndpointStore } from "../../src/ports.ts"
import { endpointOf, freshId } from "../../src/testing/conformance/Records.ts"
import { fieldsOf } from "../support/Answer.ts"
import { forEveryAsyncWith } from "../support/Property.ts"

/** Keys by their names; `a!` is another key that is called `a`, too. */
type Ring = readonly [string, ...ReadonlyArray<string>]

const ringOf = (names: Ring) => {
  const entries = names.map((name) => `${name.replace("!", "")}:${createHash("sha256").update(name).digest("base64")}`)
  const crypto = Layer.merge(EncryptionKeys.layerSecretBox, EncryptionKeys.layerMacs)
  const keys = Option.some(Redacted.make(entries.join(",")))
  return Layer.provide(crypto, Layer.orDie(EncryptionKeys.layer({ keys, folder: Option.none() })))
}

/** Stores that outlive the rings that are tried on them. */
const stores = Layer.provideMerge(Stores.layer, Layer.merge(ringOf(["unused"]), Tokens.layer))

/** With a ring, as a process that starts with it. */
const withRing = <A, E, R>(ring: Ring, effect: Effect.Effect<A, E, R>) => {
  const process = SealedSecrets.layer.pipe(Layer.fresh, Layer.provideMerge(Layer.fresh(ringOf(ring))))
  return Effect.provide(effect, process)
}

const registered = (ring: Ring, secret: string) =>
  withRing(
    ring,
    Effect.gen(function* () {
      const endpoint = yield* endpointOf(yield* freshId("organisation"))
      const sealed_secret = yield* (yield* Box).seal(secret, endpoint.id)
      yield* (yield* WebhookEndpointStore).insert({ ...endpoint, sealed_secret })
      return { ...endpoint, sealed_secret }
    })
  )

const trial = (ring: Ring) =>
  withRing(
    ring,
    SealedSecrets.use((secrets) => secrets.trial)
  )
const status = (ring: Ring) =>
  withRing(
    ring,
    SealedSecrets.use((secrets) => secrets.status)
  )
const reseal = (ring: Ring) =>
  withRing(
    ring,
    SealedSecrets.use((secrets) => secrets.reseal)
  )

const inMemory = <A, E>(effect: Effect.Effect<A, E, Layer.Success<typeof stores>>) =>
  Effect.provide(effect, Layer.fresh(stores))

const opens = (ring: Ring, { id, organisation_id }: Pick<WebhookEndpoint, "id" | "organisation_id">) =>
  withRing(
    ring,
    Effect.gen(function* () {
      const found = Option.getOrThrow(yield* (yield* WebhookEndpointStore).find(organisation_id, id))
      return Option.getOrUndefined(yield* Effect.option((yield* Box).open(found.sealed_secret, id)))
    })
  )

describe("a ring that is tried on what is sealed", () => {
  it.effect("fits an empty store, whatever it is", () =>
    inMemory(
      Effect.gen(function* () {
        assert.isNull(faultOf(yield* trial(["any"])))
      })
    )
  )

  it.effect("fits while it has the keys by their names, and one damaged secret condemns no key", () =>
    inMemory(
      Effect.gen(function* () {
        const damaged = yield* registered(["a"], "one")
        yield* registered(["a"], "two")
        yield* registered(["b"], "three")
        const endpoints = yield* WebhookEndpointStore
        yield* endpoints.update({ ...damaged, sealed_secret: `${damaged.sealed_secret.slice(0, -2)}AA` })
        for (const ring of [
          ["a", "b"],
          ["c", "b", "a"]
        ] as const) {
          const { differing, lacking, opened } = yield* trial(ring)
          assert.deepStrictEqual([opened.toSorted(), differing, lacking], [["a", "b"], [], []])
        }
        assert.deepStrictEqual(yield* trial(["b"]), { opened: ["b"], differing: [], lacking: ["a"] })
        assert.match(faultOf(yield* trial(["c"])) ?? "", / a, b\. /)
        assert.match(faultOf(yield* trial(["b", "a!"])) ?? "", / with a do not open /)
      })
    )
  )
})

describe("sealing anew", () => {
  it.effect("leaves every secret to the newest key, and what the ring cannot open as it is", () =>
    Effect.promise(() =>
      forEveryAsyncWith(
        { numRuns: 10 },
        fc.array(fc.constantFrom<Ring>(["a"], ["b"], ["c"], ["lost"]), { maxLength: 250 }),
        (sealedBy) =>
          Effect.runPromise(
            inMemory(
              Effect.gen(function* () {
                const made = yield* Effect.forEach(sealedBy, (ring, index) => registered(ring, `secret ${index}`))
                const older = sealedBy.filter(([key]) => key === "a" || key === "b").length
                assert.deepStrictEqual(yield* reseal(["c", "b", "a"]), { resealed: older, unopened: 0 })
                for (const [index, endpoint] of made.entries()) {
                  const isLost = sealedBy[index]?.[0] === "lost"
                  const text = yield* opens(["c"], endpoint)
                  assert.strictEqual(text, isLost ? undefined : `secret ${index}`)
                }
                assert.deepStrictEqual(yield* reseal(["c", "b", "a"]), { resealed: 0, unopened: 0 })
              })
            )
          )
      )
    )
  )

  it.effect("goes on where it was cut off, and tells of what does not open", () =>
    inMemory(
      Effect.gen(function* () {
        for (let index = 0; index < 250; index++) yield* registered(["a"], `secret ${index}`)
        const damaged = yield* registered(["a!"], "another key's")
        const context = yield* Effect.context<Layer.Success<typeof stores>>()
        const transaction = Context.get(context, Transaction)
        let slices = 0
        const cut = Transaction.of({
          ...transaction,
          run: (effect) => {
            slices += 1
            return slices === 2 ? Effect.die(new Error("cut off")) : transaction.run(effect)
          }
        })
        yield* Effect.exit(reseal(["b", "a"])).pipe(Effect.provideService(Transaction, cut))
        const after = yield* status(["b", "a"])
        const [done = 0, left = 0] = after.map(({ webhook_secrets }) => webhook_secrets)
        assert.deepStrictEqual(fieldsOf(after, "key_id"), ["b", "a"])
        // One slice of a hundred, which may have what does not open in it.
        assert.include([99, 100], done)
        assert.strictEqual(done + left, 251)
        assert.deepStrictEqual(yield* reseal(["b", "a"]), { resealed: 250 - done, unopened: 1 })
        assert.isUndefined(yield* opens(["b", "a"], damaged))
      })
    )
  )

  it.effect("leaves alone what is changed at the same moment", () =>
    inMemory(
      Effect.gen(function* () {
        const endpoint = yield* registered(["a"], "old")
        const store = yield* SealedStore
        const endpoints = yield* WebhookEndpointStore
        const sealed_secret = yield* withRing(
          ["b"],
          Box.use((box) => box.seal("new", endpoint.id))
        )
        const late = SealedStore.of({
          ...store,
          replace: (secret, sealed) =>
            Effect.andThen(endpoints.update({ ...endpoint, sealed_secret }), store.replace(secret, sealed))
        })
        const done = yield* Effect.provideService(reseal(["b", "a"]), SealedStore, late)
        assert.deepStrictEqual(done, { resealed: 0, unopened: 0 })
        assert.strictEqual(yield* opens(["b"], endpoint), "new")
      })
    )
  )
})
