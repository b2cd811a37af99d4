import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Predicate } from "effect"
import fc from "fast-check"
import { Almoner, type Options } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { pglite } from "../../src/pglite.ts"
import { postgres } from "../../src/postgres.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { broken } from "../support/Sentences.ts"

const key = Buffer.alloc(32, 7).toString("base64")

const url = "postgres://ada:hunter2@127.0.0.1:1/none"

/** Names of the environment, which whoever opens Almoner in a program of theirs has not set. */
const environment = /\b[A-Z]{2,}_[A-Z_]+\b/

const told = (error: unknown): string => {
  assert.instanceOf(error, Error)
  // Adapters are given by the names of their ports, which the sentence lists.
  assert.isNull(broken(error.message.replace(/ It takes ApiKeyStore, .*$/, "")), error.message)
  assert.notMatch(error.message, environment)
  assert.notInclude(error.message, "hunter2")
  assert.notInclude(error.message, key)
  return error.message
}

const opening = async (make: () => unknown): Promise<string> => {
  try {
    const almoner = await Almoner.open(make() as Options)
    await almoner.close()
  } catch (error) {
    return told(error)
  }
  return assert.fail("it opened")
}

const backend = memory()

/** Wrong options, each with what the sentence must name. */
const wrong: ReadonlyArray<readonly [make: () => unknown, named: RegExp]> = [
  [() => undefined, /Almoner\.open takes an object with options/],
  [() => null, /Almoner\.open takes an object with options/],
  [() => "memory", /Almoner\.open takes an object with options/],
  [() => ({}), /option backend of Almoner\.open is missing/],
  [() => ({ backend: undefined }), /option backend of Almoner\.open is missing/],
  [() => ({ backend: null }), /option backend/],
  [() => ({ backend: memory }), /option backend of Almoner\.open must be what memory\(\)/],
  [() => ({ backend: "memory" }), /option backend/],
  [() => ({ backend, store: 1 }), /no option store\. It has backend, keys/],
  [() => ({ backend, Keys: key }), /no option Keys/],
  [() => ({ backend, keys: 7 }), /option keys/],
  [() => ({ backend, keys: "" }), /option keys/],
  [() => ({ backend, keys: key }), /option keys.*entry 1/],
  [() => ({ backend, keys: "a:AAAA" }), /option keys.*entry 1/],
  [() => ({ backend, keys: `a:${key},a:${key}` }), /option keys.*same id/],
  [() => ({ backend, clock: 7 }), /option clock/],
  [() => ({ backend, clock: new Date() }), /option clock/],
  [() => ({ backend, tokens: {} }), /option tokens/],
  [
    () => ({ backend, tokens: { id() {}, base62() {}, digest() {}, digestBytes() {} } }),
    /methods id, base62, words, digest/
  ],
  [() => ({ backend, logger: console }), /option logger/],
  [() => ({ backend, webhookTransport: "https" }), /option webhookTransport/],
  [() => ({ backend, mailer: "smtp://localhost" }), /option mailer/],
  [() => ({ backend, publicUrlTemplate: "https://example.org" }), /option publicUrlTemplate.*\{slug\}/],
  [() => ({ backend, publicUrlTemplate: "{slug}.example.org" }), /option publicUrlTemplate/],
  [() => ({ backend, sweepIntervalMinutes: 0 }), /option sweepIntervalMinutes.*from 1 to 1440/],
  [() => ({ backend, sweepIntervalMinutes: "60" }), /option sweepIntervalMinutes/],
  [() => ({ backend, deliveryRetentionDays: -1 }), /option deliveryRetentionDays/],
  [() => ({ backend, deliveryRetentionDays: Number.NaN }), /option deliveryRetentionDays/],
  [() => ({ backend, operatorCidrs: "10.0.0.0/8" }), /option operatorCidrs/],
  [() => ({ backend, operatorCidrs: ["10.0.0.0/99"] }), /option operatorCidrs/],
  [() => ({ backend: postgres({ url }) }), /option keys of Almoner\.open is missing/],
  [() => ({ backend: postgres(undefined as never) }), /postgres takes an object with options: \{ url \} or \{ pool \}/],
  [() => ({ backend: postgres({} as never) }), /option url of postgres is missing/],
  [() => ({ backend: postgres({ url: "localhost" }) }), /option url of postgres/],
  [() => ({ backend: postgres({ url: 7 } as never) }), /option url of postgres/],
  [() => ({ backend: postgres({ url, pool: {} } as never) }), /not both/],
  [() => ({ backend: postgres({ pool: {} } as never) }), /option pool of postgres/],
  [() => ({ backend: postgres({ pool: "pool" } as never) }), /option pool of postgres/],
  [() => ({ backend: postgres({ url, max: 10 } as never) }), /postgres has no option max\. It has url, maxConnections/],
  [() => ({ backend: postgres({ url, maxConnections: 0 }) }), /option maxConnections of postgres/],
  [() => ({ backend: postgres({ url, startWaitMillis: -1 }) }), /option startWaitMillis of postgres/],
  [() => ({ backend: postgres({ url, migrate: "no" } as never) }), /option migrate of postgres/],
  [() => ({ backend: postgres({ url, schema: "a b" }) }), /The schema "a b" cannot be used/],
  [() => ({ backend: postgres({ url, schema: 7 } as never) }), /option schema of postgres/],
  [
    () => ({ backend: postgres({ url, startWaitMillis: 0 }), keys: `a:${key}` }),
    /none at 127\.0\.0\.1:1 cannot be used/
  ],
  [() => ({ backend: pglite({ dataDir: 7 } as never) }), /option dataDir of pglite/],
  [() => ({ backend: pglite({ dataDir: "" }) }), /option dataDir of pglite/],
  [() => ({ backend: pglite({ dataDir: "/dev/null/none" }) }), /\/dev\/null\/none/],
  [() => ({ backend: pglite({ durability: "fast" } as never) }), /option durability of pglite.*synced, relaxed/],
  [() => ({ backend: pglite({ folder: "." } as never) }), /pglite has no option folder/],
  [() => ({ backend: pglite(null as never) }), /pglite takes an object/]
]

describe("options that cannot be used", () => {
  for (const [make, named] of wrong) {
    it(`are named in a sentence: ${named.source}`, async () => {
      assert.match(await opening(make), named)
    })
  }

  it("are told in a sentence whatever they are, and nothing stays open", async () => {
    const names = ["backend", "keys", "clock", "tokens", "logger", "webhookTransport", "mailer", "stripe", "processors"]
    names.push(
      "publicUrlTemplate",
      "sweepIntervalMinutes",
      "deliveryRetentionDays",
      "operatorCidrs",
      "events",
      "adapters"
    )
    const value = fc.oneof(fc.anything({ maxDepth: 1 }), fc.constant(memory()))
    await forEveryAsyncWith(
      { numRuns: 200 },
      fc.dictionary(fc.constantFrom(...names, "nothing"), value, { maxKeys: 4 }),
      async (options) => {
        try {
          await (await Almoner.open(options as never)).close()
        } catch (error) {
          told(error)
          assert.isTrue(Predicate.hasProperty(error, "_tag"), String(error))
        }
      }
    )
  })

  it("fail the layer of a program in Effect with the same", async () => {
    const exit = await Effect.runPromiseExit(
      Effect.scoped(Layer.build(Almoner.layer({ backend, sweepIntervalMinutes: 0 })))
    )
    const [reason] = Exit.isFailure(exit) ? exit.cause.reasons : []
    assert.deepInclude(reason?._tag === "Fail" ? reason.error : {}, {
      _tag: "InvalidOption",
      option: "sweepIntervalMinutes"
    })
  })

  it("that are undefined are those that are not given", async () => {
    const almoner = await Almoner.open({ backend, keys: undefined, clock: undefined } as never)
    await almoner.close()
  })
})
