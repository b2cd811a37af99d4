import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { TypeID } from "typeid-js"
import { suffixOf, typeIdOf } from "../../src/adapters/crypto/Tokens.ts"
import { type IdKind, idPrefixes } from "../../src/domain/kernel/Ids.ts"

const kinds = Object.keys(idPrefixes).filter((name): name is IdKind => Object.hasOwn(idPrefixes, name))

const uuidOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

describe("identifiers", () => {
  it("are written as the reference implementation writes them", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        assert.strictEqual(suffixOf(bytes), TypeID.fromUUID("x", uuidOf(bytes)).getSuffix())
      }),
      { numRuns: 1_000 }
    )
  })

  it("of every kind are TypeIDs of a UUIDv7", () => {
    for (const kind of kinds) {
      const id = TypeID.fromString(typeIdOf(kind))
      assert.strictEqual(id.getType(), idPrefixes[kind])
      assert.match(id.toUUID(), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
  })

  it("sort in the order that they were made in, and differ in more than the last digit", () => {
    const ids = Array.from({ length: 20_000 }, () => typeIdOf("event"))
    assert.deepStrictEqual([...ids].sort(), ids)
    assert.strictEqual(new Set(ids.map((id) => id.slice(0, -1))).size, ids.length)
  })
})
