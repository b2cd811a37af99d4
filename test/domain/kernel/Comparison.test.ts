import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { operators, passes, type Scalar } from "../../../src/domain/kernel/Comparison.ts"
import { forEvery } from "../../support/Property.ts"

/** The operators of decisions, section 1: Lists; each as JavaScript compares two values of one kind. */
const meanings: Readonly<Record<string, (value: Scalar, other: Scalar) => boolean>> = {
  eq: (value, other) => value === other,
  gt: (value, other) => value > other,
  gte: (value, other) => value >= other,
  lt: (value, other) => value < other,
  lte: (value, other) => value <= other
}

/** Two values of one kind, of which equal ones are not rare. */
const pairs = fc.oneof(
  fc.tuple(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -3, max: 3 })),
  fc.tuple(fc.integer(), fc.integer()),
  fc.tuple(fc.constantFrom("", "A", "AB", "B", "a"), fc.constantFrom("", "A", "AB", "B", "a"))
)

const type = "text"

describe("a comparison", () => {
  it("has the seven operators of bracket filters", () => {
    assert.deepStrictEqual([...operators], ["eq", "in", "not_in", "gt", "gte", "lt", "lte"])
  })

  it("with one value compares numbers as numbers and texts by their characters", () =>
    forEvery(pairs, ([value, other]) => {
      for (const operator of operators) {
        const means = meanings[operator]
        if (means === undefined) continue
        assert.strictEqual(
          passes({ column: "c", type, operator, values: [other] }, value),
          means(value, other),
          operator
        )
      }
    }))

  it("with several values is met by one of them, or by none", () =>
    forEvery(fc.array(fc.integer({ min: 0, max: 5 })), fc.integer({ min: 0, max: 5 }), (values, value) => {
      const isOne = values.some((each) => each === value)
      assert.strictEqual(passes({ column: "c", type, operator: "in", values }, value), isOne)
      assert.strictEqual(passes({ column: "c", type, operator: "not_in", values }, value), !isOne)
    }))

  it("of a record without a value is met by `not_in` alone", () => {
    for (const operator of operators) {
      assert.strictEqual(passes({ column: "c", type, operator, values: [1] }, null), operator === "not_in")
    }
  })
})
