import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { isAbn } from "../../../src/domain/kernel/Abn.ts"
import { forEvery } from "../../support/Property.ts"

describe("an ABN", () => {
  it("of the register is one, and no text beside it", () => {
    for (const abn of ["51824753556", "53004085616", "11223491505"]) {
      assert.isTrue(isAbn(abn))
      for (const other of [
        `${abn}0`,
        abn.slice(1),
        ` ${abn}`,
        `${abn.slice(0, 2)} ${abn.slice(2)}`,
        "",
        "00000000000"
      ]) {
        assert.isFalse(isAbn(other))
      }
    }
  })

  it("is none with one digit mistyped, or two neighbours exchanged", () => {
    const nine = fc.integer({ min: 0, max: 999_999_999 }).map((number) => String(number).padStart(9, "0"))
    const place = fc.integer({ min: 0, max: 10 })
    forEvery(nine, place, fc.integer({ min: 1, max: 9 }), (digits, at, more) => {
      // Exactly one pair of leading digits fits most numbers; where none does, there is no ABN to mistype.
      const abn = Array.from({ length: 90 }, (_, lead) => `${lead + 10}${digits}`).find(isAbn)
      if (abn === undefined) return
      const typed = [...abn]
      typed[at] = String((Number(abn[at]) + more) % 10)
      assert.isFalse(isAbn(typed.join("")))
      const exchanged = [...abn]
      ;[exchanged[at], exchanged[at + 1]] = [abn[at + 1] ?? "", abn[at] ?? ""]
      if (at < 10 && abn[at] !== abn[at + 1]) assert.isFalse(isAbn(exchanged.join("")))
    })
  })
})
