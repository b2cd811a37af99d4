import { assert, it } from "@effect/vitest"
import fc from "fast-check"
import { addCounts, noCounts } from "../../../src/domain/payments/Credit.ts"
import { forEvery } from "../../support/Property.ts"

it("what came of the parts of a file is added up, each number for itself, from nothing", () => {
  const names = ["lines", "skipped", "known", "recorded", "matched", "exceptions"] as const
  const count = fc.nat(5_000)
  const counts = fc.record({
    lines: count,
    skipped: count,
    known: count,
    recorded: count,
    matched: count,
    exceptions: count
  })
  forEvery(fc.array(counts, { maxLength: 3 }), (parts) => {
    const whole = parts.reduce(addCounts, noCounts)
    for (const name of names) {
      const expected = parts.map((part) => part[name]).reduce((sum, each) => sum + each, 0)
      assert.strictEqual(whole[name], expected, name)
    }
  })
})
