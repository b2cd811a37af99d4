import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { contrastOf, grounds, leastContrast, readAccent, shadesOf } from "../../../src/domain/giving/Accent.ts"
import { forEvery } from "../../support/Property.ts"

const color = fc.integer({ min: 0, max: 0xff_ff_ff }).map((value) => `#${value.toString(16).padStart(6, "0")}`)

describe("an accent", () => {
  it("has the contrast that the guidelines for accessible pages say", () => {
    assert.strictEqual(contrastOf("#000000", "#ffffff"), 21)
    // The lightest grey that is read on white, and the next one.
    assert.isAtLeast(contrastOf("#767676", "#ffffff"), 4.5)
    assert.isBelow(contrastOf("#777777", "#ffffff"), 4.5)
  })

  it("is read on every ground of a page, by light and by dark, as is the text on it; or a darker one is offered that is", () => {
    forEvery(color, (given) => {
      const accent = readAccent(given.toUpperCase())
      if (Result.isFailure(accent)) {
        const { message, param } = accent.failure
        assert.strictEqual(param, "accent_color")
        const [offered = ""] = /#[0-9a-f]{6}(?=\.$)/.exec(message) ?? []
        assert.deepStrictEqual(readAccent(offered), Result.succeed(offered))
        assert.isBelow(Number(/contrast is ([\d.]+)/.exec(message)?.[1]), leastContrast)
        return
      }
      assert.strictEqual(accent.success, given)
      const shades = shadesOf(given)
      for (const mode of ["light", "dark"] as const) {
        const { box, on, page } = grounds[mode]
        for (const beside of [box, page, on]) assert.isAtLeast(contrastOf(shades[mode], beside), leastContrast)
      }
    })
  })
})
