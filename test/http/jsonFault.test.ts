import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { jsonFault, parseJson } from "../../src/adapters/http/pipeline/Json.ts"
import { forEveryWith } from "../support/Property.ts"
import { cases } from "../support/Rounds.ts"

const many = { numRuns: cases(5_000) }

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** JSON, laid out in one line or in several, with one place of it changed. */
const damaged = fc
  .tuple(
    fc.jsonValue(),
    fc.constantFrom(0, 2),
    fc.nat(),
    fc.constantFrom("", ",", "}", "]", "{", '"', "'", "\\", "\n", "\t", " ", "0", "-", "e", "x", "\u0001", "\u00a0"),
    fc.nat(2)
  )
  .map(([value, indent, at, put, gone]) => {
    const text = JSON.stringify(value, null, indent)
    const place = at % (text.length + 1)
    return text.slice(0, place) + put + text.slice(place + gone)
  })

describe("where a text stops being JSON", () => {
  it("is found in every text that is none, and in no other", () => {
    const met = new Set<boolean>()
    const agrees = (text: string) => {
      met.add(isJson(text))
      assert.strictEqual(jsonFault(text) === undefined, isJson(text), JSON.stringify(text))
    }
    forEveryWith(many, damaged, agrees)
    forEveryWith(many, fc.string({ unit: fc.constantFrom(...'{}[]":,\\ \n01.-eutf') }), agrees)
    assert.strictEqual(met.size, 2)
  })

  it("has a beginning before it that can still become JSON, and none with it", () => {
    const ends = ["", '"', '"}', "]", "}", "1", "0]", "0}", '":0}', ":0}", '":0}]', '"]', "null"]
    const canGoOn = (text: string): boolean => ends.some((end) => isJson(text + end))
    forEveryWith(many, fc.string({ unit: fc.constantFrom(...'{}[]":, \n01a'), maxLength: 6 }), (text) => {
      const fault = jsonFault(text)
      if (fault === undefined) return
      const offset =
        text
          .split("\n")
          .slice(0, fault.line - 1)
          .join("\n").length +
        fault.column -
        (fault.line > 1 ? 0 : 1)
      if (offset < text.length) assert.isFalse(canGoOn(text.slice(0, offset + 1)), JSON.stringify([text, offset]))
    })
  })

  it.each([
    ["", 1, 1, "a value"],
    ["{", 1, 2, "a name in double quotes"],
    ['{"a":1,}', 1, 8, "a name in double quotes"],
    ["{'a':1}", 1, 2, "a name in double quotes"],
    ["{a:1}", 1, 2, "a name in double quotes"],
    ['{"a" 1}', 1, 6, "a colon"],
    ['{"a":}', 1, 6, "a value"],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, "a comma or }"],
    ["[1, 2,]", 1, 7, "a value"],
    ["[1 2]", 1, 4, "a comma or ]"],
    ['{"a":1}}', 1, 8, "the end of the body"],
    ['{"a":"x', 1, 8, "a closing double quote"],
    ['"a\nb"', 1, 3, "an escape such as \\n in place of a control character"],
    ['"\\x41"', 1, 2, "a known escape such as \\n or \\u00e9"],
    ['{"a": NaN}', 1, 7, "a value"],
    ['{"a": 012}', 1, 8, "a comma or }"]
  ])("of %j is at line %i, column %i, where %s is expected", (text, line, column, expected) => {
    assert.deepStrictEqual(jsonFault(text), { line, column, expected })
  })

  it("is told of a body, and so is one that is no UTF-8", () => {
    const told = (bytes: Uint8Array) => {
      const parsed = parseJson(bytes)
      return Result.isFailure(parsed) ? parsed.failure.message : ""
    }
    assert.strictEqual(
      told(Buffer.from('{\n  "first_name": "Ada",\n}')),
      "The body is not well-formed JSON: at line 3, column 1, a name in double quotes is expected."
    )
    assert.match(told(Uint8Array.of(0x22, 0xff, 0x22)), /not text in UTF-8/)
  })
})
