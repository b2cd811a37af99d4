import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { lineOf } from "../../../src/domain/payments/Csv.ts"
import { character } from "../../../src/testing/Characters.ts"
import { forEvery } from "../../support/Property.ts"
import { readCsv } from "../../support/StatementFiles.ts"

it("a quote that is not closed is what is wrong about the file, on its line, whatever stands before it", () => {
  const before = fc.array(fc.constantFrom("", "a", "a,b", '"c"', '"d""",'), { maxLength: 4 })
  const open = fc.constantFrom('"', '"a', '"a""', '"a,b', '"""')
  forEvery(before, open, fc.constantFrom("\n", "\r\n"), (lines, last, end) => {
    const read = readCsv([...lines, last].join(end), ",", { fields: 9 })
    if (Result.isSuccess(read)) return assert.fail("it was read")
    assert.strictEqual(read.failure.line, lines.length + 1)
    assert.match(read.failure.says, /^has a quote that is not closed/)
  })
})

const cell = fc.oneof(
  fc.string({ unit: character }),
  fc.string({ unit: fc.constantFrom("=", "+", "-", "@", "\t", "\r", "\n", '"', ",", "a", "'") })
)

it("a line that is written is read as its cells, with an apostrophe before those that a spreadsheet would compute", () => {
  forEvery(fc.array(cell, { minLength: 2, maxLength: 5 }), (cells) => {
    const guarded = cells.map((text) => (/^[=+\-@\t\r]/u.test(text) ? `'${text}` : text))
    const read = readCsv(lineOf(cells), ",", { fields: 5 })
    assert.deepStrictEqual(
      Result.getOrThrow(read).map(({ fields }) => fields),
      [guarded]
    )
  })
})
