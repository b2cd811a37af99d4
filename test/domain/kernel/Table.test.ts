import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { destination, either, requires, toMermaid } from "../../../src/domain/kernel/Table.ts"
import { forEvery } from "../../support/Property.ts"

describe("conditions of a row", () => {
  const answers = fc.array(fc.boolean(), { maxLength: 5 })

  it("hold together, or the first that does not is named", () =>
    forEvery(answers, (holds) => {
      const words = holds.map((_, index) => `condition ${index}`)
      const { conditions, guard, refusal, when } = requires<string, string>(
        ...holds.map((answer, index) => [`condition ${index}`, () => answer] as const)
      )
      assert.strictEqual(when, words.join("; "))
      assert.lengthOf(conditions, holds.length)
      const broken = holds.indexOf(false)
      assert.strictEqual(guard("record", "command"), broken === -1)
      assert.strictEqual(refusal("record", "command"), broken === -1 ? when : words[broken])
    }))

  it("are asked of the record and of the command", () => {
    const { guard } = requires<number, number>(["the command has more", (self, command) => command > self])
    assert.deepStrictEqual([guard(1, 2), guard(2, 2), guard(3, 2)], [true, false, false])
  })
})

it("where a row leads is its status, or the one that the record has", () => {
  assert.strictEqual(destination({ to: "PAID" }, "OPEN"), "PAID")
  assert.strictEqual(destination<string>({ to: "same" }, "OPEN"), "OPEN")
})

describe("statuses", () => {
  it("are enumerated", () => {
    assert.deepStrictEqual([[], ["A"], ["A", "B"], ["A", "B", "C"]].map(either), ["", "A", "A or B", "A, B or C"])
  })

  it("are drawn: births, rows from each status, and the ends", () => {
    const drawing = toMermaid({
      statuses: ["OPEN", "HELD", "PAID"],
      births: [{ by: "a promise", to: "OPEN" }],
      table: { Note: { from: ["OPEN", "HELD"], to: "same" }, Pay: { from: ["OPEN", "HELD"], to: "PAID" } }
    })
    assert.deepStrictEqual(drawing.split("\n"), [
      "stateDiagram-v2",
      "  [*] --> OPEN: a promise",
      "  OPEN --> OPEN: Note",
      "  HELD --> HELD: Note",
      "  OPEN --> PAID: Pay",
      "  HELD --> PAID: Pay",
      "  PAID --> [*]"
    ])
  })
})
