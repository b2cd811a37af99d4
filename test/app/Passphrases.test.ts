import { assert } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import * as EncryptionKeys from "../../src/adapters/crypto/EncryptionKeys.ts"
import * as Tokens from "../../src/adapters/crypto/Tokens.ts"
import * as Stores from "../../src/adapters/memory/Stores.ts"
import { makePassphrases } from "../../src/app/sharing/integration/Passphrases.ts"
import { IntegrationStore } from "../../src/ports/access/IntegrationStore.ts"
import { integrationOf, newOrganisation } from "../../src/testing/conformance/Records.ts"
import { withLayer } from "../support/Steps.ts"

const entry = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString("base64")}`
const [old, young] = [entry("old", 1), entry("young", 2)]

const ringOf = (...entries: ReadonlyArray<string>) =>
  EncryptionKeys.layer({ keys: Option.some(Redacted.make(entries.join(","))), folder: Option.none() }).pipe(Layer.orDie)

/** Runs on the stores at hand with a ring of these keys, newest first. */
const withRing =
  (...entries: ReadonlyArray<string>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provide(
      effect,
      Layer.merge(Layer.fresh(EncryptionKeys.layerMacs).pipe(Layer.provide(ringOf(...entries))), Tokens.layer)
    )

const drawn = Effect.flatMap(makePassphrases, ({ draw }) => draw)

const stores = Stores.layer.pipe(Layer.provide(EncryptionKeys.layerSecretBox), Layer.provide(ringOf(old)))

withLayer(stores)("passphrases", ({ effect }) => {
  effect("are found under every key of the ring, and end with the key that they were made with", function* () {
    const { passphrase, ...hashed } = yield* drawn.pipe(withRing(old))
    const organisation = yield* newOrganisation()
    const integration = yield* integrationOf(organisation.id, hashed)
    yield* (yield* IntegrationStore).insert(integration)
    assert.strictEqual(integration.passphrase_key_id, "old")
    assert.notInclude(JSON.stringify(hashed), passphrase)
    const holder = Effect.flatMap(makePassphrases, ({ holderOf }) => holderOf(passphrase))
    assert.deepStrictEqual(yield* holder.pipe(withRing(young, old)), { integration, organisation })
    assert.isNull(yield* holder.pipe(withRing(young)))
    const next = yield* drawn.pipe(withRing(young, old))
    assert.strictEqual(next.passphrase_key_id, "young")
  })
})
