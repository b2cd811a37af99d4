import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { lineOf, makeCsvReader } from "../../../src/domain/payments/Csv.ts"
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

it("a text that is read in pieces has the records and the fault that it has as a whole", () => {
  const unit = fc.constantFrom('"', ",", "\r", "\n", "a", "\uFEFF")
  const text = fc.string({ unit, maxLength: 12 })
  forEvery(fc.array(text, { maxLength: 5 }), (pieces) => {
    const bounds = { fields: 3, characters: 100 }
    const whole = makeCsvReader(",", bounds)(pieces.join(""), true)
    const read = makeCsvReader(",", bounds)
    const parts = [...pieces, ""].map((piece, at) => read(piece, at === pieces.length))
    assert.deepStrictEqual(parts.find(Result.isFailure) ?? Result.succeed(parts.flatMap(Result.getOrThrow)), whole)
  })
})

it("a record is there as soon as the next one begins", () => {
  const read = makeCsvReader(",", { fields: 3, characters: 100 })
  const records = ["\uFEFFa,b\nc", ',d\r\n"', 'e"\r', "f"].map((piece) => Result.getOrThrow(read(piece, false)))
  assert.deepStrictEqual(records, [
    [{ line: 1, fields: ["a", "b"] }],
    [{ line: 2, fields: ["c", "d"] }],
    [],
    [{ line: 3, fields: ["e"] }]
  ])
})

it("a record has as many characters and fields as there may be, and no more", () => {
  const read = (text: string, isLast: boolean) =>
    makeCsvReader(",", { fields: 3, characters: 5 })(`\n\n${text}`, isLast)
  for (const text of ["a,b,c", "abcde", '"abc"', '"a",b', "abcde\n12345"])
    assert.isTrue(Result.isSuccess(read(text, true)), text)
  for (const text of ["a,b,cd", "abcdef", '"abcd"', "abcdef\n", "abcdef,"]) {
    assert.deepStrictEqual(read(text, true), Result.fail({ line: 3, says: "has more than 5 characters" }), text)
  }
  assert.deepStrictEqual(read("1,,,", true), Result.fail({ line: 3, says: "has more than 3 fields" }))
  // One that has not ended yet is refused before the rest is there.
  for (const text of ["abcdef", '"abcdef', "a,bcdef"]) assert.isTrue(Result.isFailure(read(text, false)), text)
})
