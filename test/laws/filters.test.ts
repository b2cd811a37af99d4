import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { type ListSpec, operatorsOf, parse, passes } from "../../src/domain/kernel/Listing.ts"
import { forEveryWith } from "../support/Property.ts"

const spec: ListSpec = {
  filters: {
    size: { kind: "integer", description: "Size" },
    colour: { kind: "enum", values: ["RED", "GREEN", "BLUE"], description: "Colour" },
    given: { kind: "day", dayColumn: "given", description: "Day" }
  }
}

const days = ["2026-02-28", "2026-03-01", "2026-12-31"]

const values = {
  size: fc.integer({ min: -2, max: 12 }),
  colour: fc.constantFrom("RED", "GREEN", "BLUE"),
  given: fc.constantFrom(...days)
}

const valuesOf = new Map<string, fc.Arbitrary<string | number>>(Object.entries(values))

const filter = fc.constantFrom(...Object.entries(spec.filters)).chain(([field, dimension]) =>
  fc.record({
    field: fc.constant(field),
    operator: fc.constantFrom(...operatorsOf(dimension)),
    given: fc.array<string | number>(valuesOf.get(field) ?? fc.constant(""), { minLength: 1, maxLength: 3 })
  })
)

/** The meaning of an operator, in code of its own. */
const means = (operator: string, value: string | number, given: ReadonlyArray<string | number>): boolean => {
  const [first = ""] = given
  switch (operator) {
    case "in":
      return given.includes(value)
    case "not_in":
      return !given.includes(value)
    case "gt":
      return value > first
    case "gte":
      return value >= first
    case "lt":
      return value < first
    case "lte":
      return value <= first
    default:
      return value === first
  }
}

it("a record passes a query that was read exactly when it passes each filter that was sent", () => {
  const filters = fc.uniqueArray(filter, { selector: ({ field, operator }) => `${field} ${operator}`, maxLength: 4 })
  const record = fc.record(values)
  forEveryWith({ numRuns: 500 }, filters, record, (sent, columns) => {
    const entries = sent.map(({ field, given, operator }): readonly [string, string] => [
      `${field}[${operator}]`,
      operator === "in" || operator === "not_in" ? given.join() : String(given[0])
    ])
    const known = new Map(Object.entries(columns))
    const valueOf = (column: string) => known.get(column) ?? assert.fail(column)
    const { conditions } = Result.getOrThrow(parse(spec, entries))
    assert.strictEqual(
      conditions.every((condition) => passes(condition, valueOf(condition.column))),
      sent.every(({ field, given, operator }) => means(operator, valueOf(field), given)),
      JSON.stringify(entries)
    )
  })
})
