import { assert, describe, it } from "@effect/vitest"
import { lineOf, Swept, standardPlan } from "../../../src/domain/outbox/Sweep.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { forEvery } from "../../support/Property.ts"

describe("a sweep", () => {
  it("is hourly, and keeps deliveries for ninety days, when nobody says otherwise", () => {
    assert.deepStrictEqual(standardPlan, { interval_minutes: 60, delivery_retention_days: 90 })
  })

  it("says all that it counted on one line, which can be read back", () =>
    forEvery(arbitraryOf(Swept), (swept) => {
      const pairs = lineOf(swept)
        .split(" ")
        .map((each) => each.split("="))
      const read = Object.fromEntries(pairs.map(([name = "", count]) => [name, Number(count)]))
      assert.deepStrictEqual(read, JSON.parse(JSON.stringify(swept)))
    }))
})
