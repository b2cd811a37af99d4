import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import fc from "fast-check"
import * as RevenueCode from "../../../src/domain/giving/RevenueCode.ts"
import { parse, passes } from "../../../src/domain/kernel/Listing.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { instant, revenueCode, text } from "../../../src/testing/Generators.ts"
import { forEvery } from "../../support/Property.ts"

/** Spellings of one text on each line. */
const spellings = [
  ["GALA-24", "gala-24", " Gala-24 "],
  ["\u00c4rger", "\u00e4rger", "A\u0308RGER", " a\u0308rger"],
  ["Stra\u00dfe", "STRASSE", "strasse", "STRA\u1e9eE"],
  ["X"]
]
const spelling = fc.constantFrom(...spellings.flat())
const isOneText = (a: string, b: string): boolean => spellings.some((each) => each.includes(a) && each.includes(b))

describe("a revenue code", () => {
  it("is changed by what a patch makes different, its text trimmed", () =>
    forEvery(revenueCode, arbitraryOf(RevenueCode.RevenueCodePatch), fc.boolean(), (before, any, same) => {
      const patch = same ? { ...any, code: ` ${before.code} `, description: before.description } : any
      const after = { ...before, ...RevenueCode.changesOf(before, patch) }
      const code = patch.code?.trim() ?? before.code
      const description = patch.description === undefined ? before.description : patch.description || null
      assert.deepStrictEqual(after, { ...before, code, description })
      assert.deepStrictEqual(RevenueCode.changesOf(after, patch), {})
    }))

  it("is changed to what its record can hold, and to nothing else", () => {
    const accepts = Schema.is(RevenueCode.Command)
    const field = fc.constantFrom("code", "description")
    forEvery(revenueCode, arbitraryOf(RevenueCode.RevenueCodePatch), instant, field, (before, patch, at, wrong) => {
      const changes = RevenueCode.changesOf(before, patch)
      assert.isTrue(accepts({ _tag: "Change", at, changes }))
      assert.isFalse(accepts({ _tag: "Change", at, changes: { ...changes, [wrong]: 7 } }))
    })
  })

  it("is found by any spelling of its text, and by no other text", () =>
    forEvery(revenueCode, spelling, spelling, (any, code, asked) => {
      const { conditions } = Result.getOrThrow(parse(RevenueCode.listing, [["code", asked]]))
      const columns = new Map<string, string>(Object.entries(RevenueCode.derivedColumns({ ...any, code })))
      const found = conditions.every((each) => passes(each, columns.get(each.column) ?? assert.fail(each.column)))
      assert.strictEqual(found, isOneText(asked, code))
    }))

  it("is listed without the archived ones, unless they are asked for", () => {
    assert.isFalse(Result.getOrThrow(parse(RevenueCode.listing, [])).archived)
    assert.isTrue(Result.getOrThrow(parse(RevenueCode.listing, [["archived", "true"]])).archived)
  })

  it("is shown whole but for its organisation, and to the API without its jurisdiction", () => {
    const staff = Object.keys(RevenueCode.RevenueCode.fields).filter((field) => field !== "organisation_id")
    assert.sameMembers(Object.keys(RevenueCode.AssignedCode.fields), staff)
    const shown = staff.filter((field) => field !== "jurisdiction")
    assert.sameMembers(Object.keys(RevenueCode.RevenueCodeRecord.fields), shown)
  })

  it("compares every letter with its capital and its small letter", () => {
    const all = Array.from({ length: 0xd800 }, (_, point) => `a${String.fromCodePoint(point)}b`)
    const apart = all.filter((each) =>
      [each.toUpperCase(), each.toLowerCase()].some((o) => RevenueCode.codeKey(o) !== RevenueCode.codeKey(each))
    )
    assert.deepStrictEqual(apart, [])
  })

  it("is printable text, and compares as itself once it is folded", () => {
    const accepts = Schema.is(RevenueCode.CodeText)
    forEvery(text(), (any) => {
      const others = [RevenueCode.codeKey(any), any.normalize("NFC"), any.normalize("NFD")]
      for (const other of others) assert.strictEqual(RevenueCode.codeKey(other), RevenueCode.codeKey(any))
      if (accepts(any)) assert.notMatch(any, /[\p{Cc}\p{Zl}\p{Zp}]/u)
    })
    for (const code of ["a\nb", "a\u2028b", "\u0007", "x".repeat(101)]) assert.isFalse(accepts(code))
    assert.isTrue(accepts("x".repeat(100)))
  })
})
