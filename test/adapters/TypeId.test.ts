import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { suffixOf, typeIdOf } from "../../src/adapters/crypto/Tokens.ts"
import { type IdKind, idPrefixes } from "../../src/domain/kernel/Ids.ts"
import { forEveryWith } from "../support/Property.ts"

const kinds = Object.keys(idPrefixes).filter((name): name is IdKind => Object.hasOwn(idPrefixes, name))

const digits = "0123456789abcdefghjkmnpqrstvwxyz"

/** The 26 digits of 128 bits, by arithmetic. */
const encoded = (bytes: Uint8Array): string => {
  let [number, text] = [BigInt(`0x${Buffer.from(bytes).toString("hex")}`), ""]
  for (let count = 0; count < 26; count++) {
    text = digits.charAt(Number(number % 32n)) + text
    number /= 32n
  }
  return text
}

const uuidOf = (suffix: string): string => {
  const number = [...suffix].reduce((sum, digit) => sum * 32n + BigInt(digits.indexOf(digit)), 0n)
  return number
    .toString(16)
    .padStart(32, "0")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}

describe("identifiers", () => {
  it("are written as the specification's examples are", () => {
    const examples = [
      ["00000000-0000-0000-0000-000000000000", "00000000000000000000000000"],
      ["00000000-0000-0000-0000-000000000001", "00000000000000000000000001"],
      ["00000000-0000-0000-0000-00000000000a", "0000000000000000000000000a"],
      ["00000000-0000-0000-0000-000000000010", "0000000000000000000000000g"],
      ["00000000-0000-0000-0000-000000000020", "00000000000000000000000010"],
      ["ffffffff-ffff-ffff-ffff-ffffffffffff", "7zzzzzzzzzzzzzzzzzzzzzzzzz"],
      ["0110c853-1d09-52d8-d73e-1194e95b5f19", "0123456789abcdefghjkmnpqrs"],
      ["01890a5d-ac96-774b-bcce-b302099a8057", "01h455vb4pex5vsknk084sn02q"]
    ] as const
    for (const [uuid, suffix] of examples) {
      assert.strictEqual(suffixOf(Buffer.from(uuid.replaceAll("-", ""), "hex")), suffix)
      assert.strictEqual(uuidOf(suffix), uuid)
    }
  })

  it("are the digits of their bits", () =>
    forEveryWith({ numRuns: 1_000 }, fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      assert.strictEqual(suffixOf(bytes), encoded(bytes))
    }))

  it("of every kind are TypeIDs of a UUIDv7", () => {
    for (const kind of kinds) {
      const [prefix, suffix = ""] = typeIdOf(kind).split("_")
      assert.strictEqual(prefix, idPrefixes[kind])
      assert.match(suffix, /^[0-7][0-9a-hjkmnp-tv-z]{25}$/)
      assert.match(uuidOf(suffix), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
  })

  it("sort in the order that they were made in, and differ in more than the last digit", () => {
    const ids = Array.from({ length: 20_000 }, () => typeIdOf("event"))
    assert.deepStrictEqual([...ids].sort(), ids)
    assert.strictEqual(new Set(ids.map((id) => id.slice(0, -1))).size, ids.length)
  })
})
