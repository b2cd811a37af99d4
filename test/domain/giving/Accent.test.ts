import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { contrastOf, grounds, leastContrast, readAccent, shadesOf } from "../../../src/domain/giving/Accent.ts"
import { forEvery } from "../../support/Property.ts"

const color = fc.integer({ min: 0, max: 0xff_ff_ff }).map((value) => `#${value.toString(16).padStart(6, "0")}`)

const channelsOf = (text: string) => [...Buffer.from(text.slice(1), "hex")]

/** Asserts that a colour is the given one where that can be read on the ground, and else not much nearer to white or black. */
const assertNearest = (given: string, found: string, end: number, ground: string) => {
  if (contrastOf(given, ground) >= 4.5) return assert.strictEqual(found, given)
  assert.isTrue(contrastOf(found, ground) >= 4.5 && contrastOf(found, ground) < 5)
  // Each channel has gone the same share of its way, but for what is rounded.
  const [from, to] = [channelsOf(given), channelsOf(found)]
  const widest = from.reduce(
    (most, channel, at) => (Math.abs(end - channel) > Math.abs(end - (from[most] ?? 0)) ? at : most),
    0
  )
  const [start = 0, reached = 0] = [from[widest], to[widest]]
  const share = (reached - start) / (end - start)
  for (const [at, channel] of from.entries()) assert.closeTo(to[at] ?? -1, channel + share * (end - channel), 1.01)
}

describe("an accent", () => {
  it("has the contrast that the guidelines for accessible pages say", () => {
    assert.strictEqual(contrastOf("#000000", "#ffffff"), 21)
    // As published calculators show them.
    for (const [color, onWhite, onBlack] of [
      ["#ff0000", 3.998, 5.252],
      ["#00ff00", 1.372, 15.304],
      ["#0000ff", 8.592, 2.444],
      ["#0a0a0a", 19.798, 1.061]
    ] as const) {
      assert.closeTo(contrastOf(color, "#ffffff"), onWhite, 0.0005)
      assert.closeTo(contrastOf("#000000", color), onBlack, 0.0005)
    }
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
        assertNearest(given, offered, 0, grounds.light.box)
        const short = contrastOf(given, grounds.light.box) - Number(/contrast is (\d\.\d|\d)\s/.exec(message)?.[1])
        assert.isTrue(short >= 0 && short < 0.1)
        return
      }
      assert.strictEqual(accent.success, given)
      const shades = shadesOf(given)
      assert.strictEqual(shades.light, given)
      assertNearest(given, shades.dark, 255, grounds.dark.box)
      for (const mode of ["light", "dark"] as const) {
        const { box, on, page } = grounds[mode]
        for (const beside of [box, page, on]) assert.isAtLeast(contrastOf(shades[mode], beside), leastContrast)
      }
    })
  })

  it.each([
    // Greys on the boxes: the first one is read, and the next one is not.
    ["#707070", "#707070"],
    ["#727272", null],
    ["#6e6e6e", "#6e6e6e"]
  ])("%s is taken as it is, or refused", (given, taken) => {
    assert.strictEqual(Result.getOrNull(readAccent(given)), taken)
  })

  it("is lightened by fiftieths of the way to white, and darkened likewise: pure green stays pure", () => {
    // From 1, 27 of 50 steps to 255 are 138.16; one less is 133, whose contrast is 4.3.
    assert.strictEqual(shadesOf("#010101").dark, "#8a8a8a")
    const green = readAccent("#00ff00")
    assert.match(Result.isFailure(green) ? green.failure.message : "", /such as #00[0-9a-f]{2}00\.$/)
  })
})
