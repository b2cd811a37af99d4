import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import fc from "fast-check"
import { ApiKey, ApiKeyRecord, assemble, isWellFormed, secretDigits } from "../../../src/domain/access/ApiKey.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { character } from "../../../src/testing/Characters.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const random = fc.string({ unit: fc.constantFrom(...base62), minLength: secretDigits, maxLength: secretDigits })
const key = fc.tuple(fc.boolean(), random).map(([is_sandbox, digits]) => assemble(is_sandbox, digits))

describe("an API key", () => {
  it("names its side, carries at least 192 random bits and six check characters, and is well formed", () => {
    assert.isAtLeast(secretDigits * Math.log2(62), 192)
    assert.isBelow((secretDigits - 1) * Math.log2(62), 192)
    forEvery(fc.boolean(), random, (is_sandbox, digits) => {
      const text = assemble(is_sandbox, digits)
      assert.isTrue(text.startsWith(`alm_${is_sandbox ? "test" : "live"}_${digits}`))
      assert.strictEqual(text.length, "alm_live_".length + secretDigits + 6)
      assert.isTrue(isWellFormed(text))
    })
  })

  it("checks with the CRC-32 that everybody knows, in base62", () => {
    const crc = (text: string): number => {
      let rest = 0xffffffff
      for (const byte of new TextEncoder().encode(text)) {
        rest ^= byte
        for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1
      }
      return ~rest >>> 0
    }
    assert.strictEqual(crc("123456789"), 0xcbf43926)
    forEvery(key, (text) => {
      const check = [...text.slice(-6)].reduce((sum, digit) => sum * 62 + base62.indexOf(digit), 0)
      assert.strictEqual(check, crc(text.slice(0, -6)))
    })
  })

  it("is refused after a change of any one character", () =>
    forEveryWith({ numRuns: 10 }, key, (text) => {
      for (let at = 0; at < text.length; at++) {
        for (const digit of base62) {
          if (digit !== text[at]) assert.isFalse(isWellFormed(text.slice(0, at) + digit + text.slice(at + 1)))
        }
      }
    }))

  it("is refused when two neighbours are swapped", () =>
    forEvery(key, fc.nat(), (text, position) => {
      const at = position % (text.length - 1)
      const [one, other] = [text.charAt(at), text.charAt(at + 1)]
      fc.pre(one !== other)
      assert.isFalse(isWellFormed(text.slice(0, at) + other + one + text.slice(at + 2)))
    }))

  it("is refused with anything around it", () =>
    forEvery(key, fc.constantFrom(" ", "\n", "\t", "\0", "é", "\ud800"), (text, extra) => {
      assert.isFalse(isWellFormed(text + extra))
      assert.isFalse(isWellFormed(extra + text))
    }))

  it("is judged without an exception, whatever the text", () => {
    const text = fc.string({ unit: character, maxLength: 300 })
    const keyLike = text.map((rest) => `alm_live_${rest}`)
    forEvery(fc.oneof(text, keyLike), (any) => assert.isFalse(isWellFormed(any)))
    assert.isFalse(isWellFormed(assemble(false, "0".repeat(1_000))))
  })

  it("is at most 128 characters long", () =>
    forEvery(fc.boolean(), fc.integer({ min: 126, max: 130 }), (is_sandbox, length) => {
      const text = assemble(is_sandbox, "0".repeat(length - "alm_live_".length - 6))
      assert.strictEqual(text.length, length)
      assert.strictEqual(isWellFormed(text), length <= 128)
    }))

  it("is of a generation that is counted from one", () =>
    forEvery(arbitraryOf(ApiKey), fc.integer({ min: -2, max: 3 }), (any, generation) => {
      assert.strictEqual(Schema.is(ApiKey)({ ...any, generation }), generation >= 1)
    }))

  it("is shown without its hash", () => {
    assert.notInclude(Object.keys(ApiKeyRecord.fields), "secret_hash")
  })
})
