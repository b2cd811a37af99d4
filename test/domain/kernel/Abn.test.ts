import { assert, describe, it } from "@effect/vitest"
import { isAbn } from "../../../src/domain/kernel/Abn.ts"

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
})
