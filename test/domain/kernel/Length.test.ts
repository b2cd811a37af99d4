import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { isLongerThan, noLongerThan, noLongerTrimmed } from "../../../src/domain/kernel/Length.ts"
import { forEvery } from "../../support/Property.ts"

describe("a length", () => {
  it("is counted in code points", () =>
    forEvery(fc.nat(20), fc.array(fc.constantFrom("a", "\u{1f600}", "\u00e9", "\ud800")), (most, characters) => {
      const text = characters.join("")
      assert.strictEqual(isLongerThan(most, text), [...text].length > most)
    }))

  it("of what is trimmed is counted without what is trimmed", () => {
    const characters = fc.array(fc.constantFrom("a", "\u{1f600}", " ", "\n", "\u3000", "\ufeff"), { maxLength: 12 })
    forEvery(fc.nat(8), characters, (most, all) => {
      const [first, last] = [
        all.findIndex((each) => each.trim() !== ""),
        all.findLastIndex((each) => each.trim() !== "")
      ]
      const counted = first === -1 ? 0 : last - first + 1
      assert.strictEqual(Schema.is(Schema.String.check(noLongerTrimmed(most)))(all.join("")), counted <= most)
    })
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
