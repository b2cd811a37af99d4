import { randomBytes } from "node:crypto"
import { readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, Result } from "effect"
import fc from "fast-check"
import * as EncryptionKeys from "../../src/adapters/crypto/EncryptionKeys.ts"
import { SecretBox } from "../../src/ports/kernel/SecretBox.ts"
import { folder } from "../support/Folder.ts"
import { forEvery } from "../support/Property.ts"
import { effect } from "../support/Steps.ts"

const key = (id: string) => `${id}:${randomBytes(32).toString("base64")}`
const [first, second, third] = [key("first"), key("second"), key("third")]

const boxOf = (...keys: ReadonlyArray<string>): SecretBox["Service"] =>
  Effect.runSync(
    SecretBox.pipe(
      Effect.provide(
        EncryptionKeys.layerSecretBox.pipe(
          Layer.provide(
            EncryptionKeys.layer({ keys: Option.some(Redacted.make(keys.join(","))), folder: Option.none() })
          )
        )
      )
    )
  )
const box = boxOf(first)
const seal = (from: SecretBox["Service"], secret: string, context: string) => Effect.runSync(from.seal(secret, context))
const open = (by: SecretBox["Service"], sealed: string, context: string) =>
  Effect.runSync(Effect.result(by.open(sealed, context)))

describe("SecretBox", () => {
  it("seals with the newest key and opens with every key of the ring", () => {
    const old = seal(boxOf(second, first), "s", "whe_1")
    const rotated = boxOf(third, second, first)
    assert.match(old, /^v1\.second\.[\w-]{16}\.[\w-]+$/)
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

  it("reads every spelling of base64", () =>
    forEvery(
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
    ))

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

  effect("makes one ring in a folder, for its owner only, whoever asks at once", function* () {
    const data_dir = join(yield* folder, "inner")
    const rings = yield* Effect.all(
      Array.from({ length: 8 }, () => EncryptionKeys.fromFolder({ path: data_dir, isUnused: Effect.succeed(true) })),
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
    const failure = yield* Effect.flip(EncryptionKeys.fromFolder({ path: data_dir, isUnused: Effect.succeed(true) }))
    assert.match(failure.message, /^The encryption keys in \S+keys\.json cannot be read or made \([^\n]+\)\.$/)
    assert.strictEqual(yield* Effect.promise(() => readFile(path, "utf8")), "{")
  })

  effect("makes no ring for a database with records, whose secrets another one sealed", function* () {
    const data_dir = yield* folder
    const failure = yield* Effect.flip(EncryptionKeys.fromFolder({ path: data_dir, isUnused: Effect.succeed(false) }))
    assert.match(failure.message, /^The encryption keys \S+keys\.json are missing\. Restore the file [^\n]+\.$/)
    assert.deepStrictEqual(yield* Effect.promise(() => readdir(data_dir)), [])
  })

  effect("says why a folder cannot hold a ring", function* () {
    const data_dir = join(yield* folder, "file")
    yield* Effect.promise(() => writeFile(data_dir, ""))
    const failure = yield* Effect.flip(EncryptionKeys.fromFolder({ path: data_dir, isUnused: Effect.succeed(true) }))
    assert.match(failure.message, /\(ENOTDIR\)\.$/)
  })

  effect("must be given where there is no folder for it", function* () {
    const failure = yield* Effect.flip(
      Effect.scoped(Layer.build(EncryptionKeys.layer({ keys: Option.none(), folder: Option.none() })))
    )
    assert.match(failure.message, /^ALMONER_ENCRYPTION_KEYS is not set: with a PostgreSQL server [^\n]+\.$/)
  })
})
