import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Country, countries } from "../../../src/domain/kernel/Countries.ts"

const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]

/** What the Unicode consortium has a name for beside the countries of ISO 3166: reserved codes, groups, and one that users assign. */
const others = ["AC", "CP", "CQ", "DG", "EA", "EU", "EZ", "IC", "QO", "TA", "UN", "XA", "XB", "XK", "ZZ"]

/** Codes that were withdrawn, which are shown as what came after them. */
const isCanonical = (code: string): boolean => new Intl.Locale(`und-${code}`).region === code

describe("countries", () => {
  it("are those that have a name in any program, each once", () => {
    const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" })
    const named = letters
      .flatMap((first) => letters.map((second) => `${first}${second}`))
      .filter((code) => names.of(code) !== undefined && isCanonical(code) && !others.includes(code))
    assert.deepStrictEqual([...countries], named)
    assert.lengthOf(countries, 249)
  })

  it("are given in capital letters", () => {
    for (const code of countries) {
      assert.isTrue(Schema.is(Country)(code))
      for (const other of [code.toLowerCase(), `${code} `, `${code}X`, ` ${code}`])
        assert.isFalse(Schema.is(Country)(other))
    }
  })
})
