import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { isLongerThan, noLongerThan } from "../../src/domain/Length.ts"

describe("a length", () => {
  it("is counted in code points", () => {
    fc.assert(
      fc.property(fc.nat(20), fc.array(fc.constantFrom("a", "\u{1f600}", "\u00e9", "\ud800")), (most, characters) => {
        const text = characters.join("")
        assert.strictEqual(isLongerThan(most, text), [...text].length > most)
      })
    )
  })

  it("is asked before what comes after it, which is not asked of a longer text", () => {
    let asked = 0
    const short = Schema.String.check(
      noLongerThan(3, "three letters"),
      Schema.makeFilter(() => ++asked > 0)
    )
    const decode = Schema.decodeUnknownResult(short)
    assert.isTrue(Result.isFailure(decode("abcd")))
    assert.strictEqual(asked, 0)
    assert.isTrue(Result.isSuccess(decode("abc")))
    assert.strictEqual(asked, 1)
  })
})
