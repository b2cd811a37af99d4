import { randomBytes } from "node:crypto"
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import fc from "fast-check"
import * as EncryptionKeys from "../../src/adapters/crypto/EncryptionKeys.ts"
import * as SecretBoxAdapter from "../../src/adapters/crypto/SecretBox.ts"
import * as TokensAdapter from "../../src/adapters/crypto/Tokens.ts"
import {
  ApiKeyId,
  DeliveryId,
  DonationId,
  DonorId,
  EventId,
  OrganisationId,
  RevenueCodeId
} from "../../src/domain/kernel/Ids.ts"
import { SecretBox } from "../../src/ports/kernel/SecretBox.ts"
import { Tokens } from "../../src/ports/kernel/Tokens.ts"
import { effect } from "../support/Steps.ts"

const key = (id: string) => `${id}:${randomBytes(32).toString("base64")}`
const [first, second, third] = [key("first"), key("second"), key("third")]

const boxOf = (...keys: ReadonlyArray<string>): SecretBox["Service"] =>
  Effect.runSync(
    SecretBox.pipe(
      Effect.provide(
        SecretBoxAdapter.layer.pipe(
          Layer.provide(
            EncryptionKeys.layer({ keys: Option.some(Redacted.make(keys.join(","))), data_dir: Option.none() })
          )
        )
      )
    )
  )
const box = boxOf(first)
const seal = (from: SecretBox["Service"], secret: string, context: string) => Effect.runSync(from.seal(secret, context))
const open = (by: SecretBox["Service"], sealed: string, context: string) =>
  Effect.runSync(Effect.result(by.open(sealed, context)))

const text = fc.string({ unit: "binary" })

describe("SecretBox", () => {
  it("opens what it sealed, and seals the same secret differently each time", () => {
    fc.assert(
      fc.property(text, text, (secret, context) => {
        const sealed = seal(box, secret, context)
        assert.match(sealed, /^v1\.first\.[\w-]{16}\.[\w-]+$/)
        assert.deepStrictEqual(open(box, sealed, context), Result.succeed(secret))
        assert.notStrictEqual(seal(box, secret, context), sealed)
      })
    )
  })

  it("does not open for another context", () => {
    fc.assert(
      fc.property(text, text, text, (secret, context, other) => {
        fc.pre(context !== other)
        assert.isTrue(Result.isFailure(open(box, seal(box, secret, context), other)))
      })
    )
  })

  it("does not open when any character was changed, added or taken away", () => {
    fc.assert(
      fc.property(
        text,
        fc.nat(),
        fc.constantFrom("", "A", "B", "_", ".", "=", "é"),
        (secret, position, replacement) => {
          const sealed = seal(box, secret, "whe_1")
          const at = position % sealed.length
          const changed = sealed.slice(0, at) + replacement + sealed.slice(at + 1)
          fc.pre(changed !== sealed)
          assert.isTrue(Result.isFailure(open(box, changed, "whe_1")))
          assert.isTrue(Result.isFailure(open(box, `${sealed}${replacement === "" ? "A" : replacement}`, "whe_1")))
        }
      )
    )
  })

  it("does not open when a bit was flipped", () => {
    fc.assert(
      fc.property(text, fc.nat(), (secret, position) => {
        const [version, id, nonce = "", sealed = ""] = seal(box, secret, "whe_1").split(".")
        const bytes = Buffer.concat([Buffer.from(nonce, "base64url"), Buffer.from(sealed, "base64url")])
        const bit = position % (bytes.length * 8)
        bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
        const flipped = [
          version,
          id,
          bytes.subarray(0, 12).toString("base64url"),
          bytes.subarray(12).toString("base64url")
        ]
        assert.isTrue(Result.isFailure(open(box, flipped.join("."), "whe_1")))
      })
    )
  })

  it("seals with the newest key and opens with every key of the ring", () => {
    const old = seal(boxOf(second, first), "s", "whe_1")
    const rotated = boxOf(third, second, first)
    assert.match(old, /^v1\.second\./)
    assert.match(seal(rotated, "s", "whe_1"), /^v1\.third\./)
    assert.deepStrictEqual(open(rotated, old, "whe_1"), Result.succeed("s"))
  })

  it("names the key that left the ring", () => {
    const failure = open(boxOf(second), seal(box, "s", "whe_1"), "whe_1")
    assert.isTrue(Result.isFailure(failure) && failure.failure.key_id === "first")
  })

  it("does not open under another key of the same id", () => {
    assert.isTrue(Result.isFailure(open(boxOf(key("first")), seal(box, "s", "whe_1"), "whe_1")))
  })
})

describe("KeyRing", () => {
  const parse = (ring: string) => EncryptionKeys.parse(Redacted.make(ring))

  it("reads every spelling of base64", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.constantFrom<(bytes: Buffer) => string>(
          (bytes) => bytes.toString("base64"),
          (bytes) => bytes.toString("base64").replace("=", ""),
          (bytes) => bytes.toString("base64url"),
          (bytes) => ` ${bytes.toString("base64")} `
        ),
        (bytes, spell) => {
          const ring = Result.getOrThrow(parse(`a:${spell(Buffer.from(bytes))},${second}`))
          assert.strictEqual(ring.newest.id, "a")
          assert.deepStrictEqual([...ring.newest.bytes], [...bytes])
          assert.strictEqual(ring.find("second")?.id, "second")
          assert.isUndefined(ring.find("third"))
        }
      )
    )
  })

  it("refuses a ring that is not one, in a sentence without any of its text", () => {
    const secret = randomBytes(32).toString("base64")
    const rings = ["", secret, `${secret}:${secret}`, `a:${secret}x`, `a:${secret},`, `a:${secret},a:${secret}`]
    for (const ring of [...rings, `a b:${secret}`, "a:c2hvcnQ=", `a.b:${secret}`, `:${secret}`, `a:${secret}:b`]) {
      const parsed = parse(ring)
      assert.isTrue(Result.isFailure(parsed), ring)
      if (!Result.isFailure(parsed)) continue
      assert.match(parsed.failure.message, /^ALMONER_ENCRYPTION_KEYS: [^\n]+\.$/)
      assert.notInclude(parsed.failure.message, secret)
    }
  })

  const folder = Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "almoner-keys-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )

  effect("makes one ring in a folder, for its owner only, whoever asks at once", function* () {
    const data_dir = join(yield* folder, "inner")
    const rings = yield* Effect.all(
      Array.from({ length: 8 }, () => EncryptionKeys.fromFolder(data_dir)),
      { concurrency: "unbounded" }
    )
    const [one] = rings
    for (const ring of rings) assert.deepStrictEqual(ring.newest, one?.newest)
    assert.deepStrictEqual(yield* Effect.promise(() => readdir(data_dir)), ["keys.json"])
    const { mode } = yield* Effect.promise(() => stat(join(data_dir, "keys.json")))
    assert.strictEqual(mode & 0o777, 0o600)
    const kept = JSON.parse(yield* Effect.promise(() => readFile(join(data_dir, "keys.json"), "utf8")))
    const configured = Result.getOrThrow(parse(kept.ALMONER_ENCRYPTION_KEYS))
    assert.deepStrictEqual(configured.newest, one?.newest)
  })

  effect("never replaces a file that it cannot read", function* () {
    const data_dir = yield* folder
    const path = join(data_dir, "keys.json")
    yield* Effect.promise(() => writeFile(path, "{"))
    const failure = yield* Effect.flip(EncryptionKeys.fromFolder(data_dir))
    assert.match(failure.message, /^The key ring \S+keys\.json cannot be read or made \([^\n]+\)\.$/)
    assert.strictEqual(yield* Effect.promise(() => readFile(path, "utf8")), "{")
  })

  effect("says why a folder cannot hold a ring", function* () {
    const data_dir = join(yield* folder, "file")
    yield* Effect.promise(() => writeFile(data_dir, ""))
    const failure = yield* Effect.flip(EncryptionKeys.fromFolder(data_dir))
    assert.match(failure.message, /\(ENOTDIR\)\.$/)
  })

  effect("must be given where there is no folder for it", function* () {
    const failure = yield* Effect.flip(
      Effect.scoped(Layer.build(EncryptionKeys.layer({ keys: Option.none(), data_dir: Option.none() })))
    )
    assert.match(failure.message, /^ALMONER_ENCRYPTION_KEYS is not set: with DATABASE_URL [^\n]+\.$/)
  })
})

describe("Tokens", () => {
  const tokens = Effect.runSync(Effect.provide(Tokens, TokensAdapter.layer))
  const kinds = [
    ["organisation", OrganisationId],
    ["apiKey", ApiKeyId],
    ["donor", DonorId],
    ["donation", DonationId],
    ["revenueCode", RevenueCodeId],
    ["event", EventId],
    ["delivery", DeliveryId]
  ] as const

  it("makes identifiers of the domain's form", () => {
    for (const [kind, schema] of kinds) assert.isTrue(Schema.is(schema)(Effect.runSync(tokens.id(kind))))
  })

  it("makes identifiers that sort by their making and never repeat", () => {
    const made = Array.from({ length: 5_000 }, () => Effect.runSync(tokens.id("event")))
    assert.deepStrictEqual([...made].sort(), made)
    assert.strictEqual(new Set(made).size, made.length)
  })

  it("draws texts of the length asked for", () => {
    fc.assert(
      fc.property(fc.nat(200), (length) => {
        const drawn = Effect.runSync(tokens.base62(length))
        assert.strictEqual(drawn.length, length)
        assert.match(drawn, /^[0-9A-Za-z]*$/)
      })
    )
  })

  it("draws every character evenly", () => {
    const draws = 62_000
    const counts = new Map<string, number>()
    for (const character of Effect.runSync(tokens.base62(draws))) {
      counts.set(character, (counts.get(character) ?? 0) + 1)
    }
    const expected = draws / 62
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
    assert.strictEqual(counts.size, 62)
    // 61 degrees of freedom: an even draw exceeds 140 once in ten million runs; bytes taken modulo 62 give about 340.
    assert.isBelow(chiSquare, 140)
  })

  it("digests as SHA-256 does", () => {
    assert.strictEqual(
      Effect.runSync(tokens.digest("abc")),
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
  })
})
