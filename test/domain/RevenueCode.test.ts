import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { parse, passes } from "../../src/domain/Listing.ts"
import { CodeText, codeKey, derived, listing, RevenueCode, RevenueCodeRecord } from "../../src/domain/RevenueCode.ts"
import { revenueCode, text } from "../../src/testing/Generators.ts"

const spelling = fc.constantFrom("GALA-24", "gala-24", " Gala-24 ", "Ärger", "ärger", "X")

describe("a revenue code", () => {
  it("is found by any spelling of its text, and by no other text", () => {
    fc.assert(
      fc.property(revenueCode, spelling, spelling, (any, code, asked) => {
        const { conditions } = Result.getOrThrow(parse(listing, [["code", asked]]))
        const columns = new Map<string, string>(Object.entries(derived({ ...any, code })))
        const found = conditions.every((each) => passes(each, columns.get(each.column) ?? assert.fail(each.column)))
        assert.strictEqual(found, asked.trim().toLowerCase() === code.trim().toLowerCase())
      })
    )
  })

  it("is listed without the archived ones, unless they are asked for", () => {
    assert.isFalse(Result.getOrThrow(parse(listing, [])).archived)
    assert.isTrue(Result.getOrThrow(parse(listing, [["archived", "true"]])).archived)
  })

  it("is shown whole but for its organisation", () => {
    const shown = Object.keys(RevenueCode.fields).filter((field) => field !== "organisation_id")
    assert.sameMembers(Object.keys(RevenueCodeRecord.fields), shown)
  })

  it("is printable text, and compares as itself once it is folded", () => {
    const accepts = Schema.is(CodeText)
    fc.assert(
      fc.property(text(), (any) => {
        assert.strictEqual(codeKey(codeKey(any)), codeKey(any))
        if (accepts(any)) assert.notMatch(any, /[\p{Cc}\p{Zl}\p{Zp}]/u)
      })
    )
    for (const code of ["a\nb", "a\u2028b", "\u0007", "x".repeat(101)]) assert.isFalse(accepts(code))
    assert.isTrue(accepts("x".repeat(100)))
  })
})
