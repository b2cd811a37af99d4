import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readFilter } from "../../../src/domain/kernel/FilterValues.ts"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import type { Condition, Dimension, Scalar } from "../../../src/domain/kernel/Listing.ts"

const description = "A field."

interface Case {
  readonly dimension: Dimension
  readonly text: string
  readonly type: Condition["type"]
  readonly value: Scalar
}

const cases: ReadonlyArray<Case> = [
  { dimension: { kind: "text", description }, text: "a", type: "text", value: "a" },
  { dimension: { kind: "enum", values: ["A", "B"], description }, text: "B", type: "text", value: "B" },
  { dimension: { kind: "integer", description }, text: "-12", type: "integer", value: -12 },
  { dimension: { kind: "boolean", description }, text: "true", type: "boolean", value: true },
  { dimension: { kind: "timestamp", description }, text: "2026-03-04", type: "timestamp", value: Date.UTC(2026, 2, 4) },
  { dimension: { kind: "day", description }, text: "2026-03-04", type: "date", value: "2026-03-04" },
  {
    dimension: { kind: "day", description },
    text: "2026-03-04T00:00:01Z",
    type: "timestamp",
    value: Date.UTC(2026, 2, 4, 0, 0, 1)
  }
]

describe("a filter", () => {
  it.each(cases)("of the kind $dimension.kind compares $text as $type", ({ dimension, text, type, value }) => {
    const condition = Result.getOrThrow(readFilter("field", dimension, "gte", "field[gte]", text))
    assert.deepStrictEqual(condition, { column: "field", type, operator: "gte", values: [value] })
  })

  it("of an instant says how + is written where a space is in its place, and there alone", () => {
    const told = ["2026-03-04T00:00:00 10:00", "2026-03-04T00:00:00+10", "2026-03-04 10:00:00", "now"].map((text) => {
      const refusal = readFilter("at", { kind: "timestamp", description }, "gte", "at[gte]", text)
      return Result.getOrThrow(Result.flip(refusal)).message.includes("%2B")
    })
    assert.deepStrictEqual(told, [true, false, false, false])
  })

  it.each(["in", "not_in"] as const)("with %s takes as many values as the limit says, and not one more", (operator) => {
    const values = Array.from({ length: Limits.filterValues }, (_, index) => index)
    const ask = (given: ReadonlyArray<number>) =>
      readFilter("field", { kind: "integer", description }, operator, `field[${operator}]`, given.join())
    assert.deepStrictEqual(Result.getOrThrow(ask(values)).values, values)
    const refusal = Result.getOrThrow(Result.flip(ask([...values, 1])))
    assert.strictEqual(refusal.message, `field[${operator}] must have at most ${Limits.filterValues} values.`)
  })
})
