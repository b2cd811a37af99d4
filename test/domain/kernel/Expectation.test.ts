import { assert, describe, it } from "@effect/vitest"
import { Predicate, Result, Schema, type SchemaIssue } from "effect"
import { expectationOf } from "../../../src/domain/kernel/Expectation.ts"

const filterOf = (issue: SchemaIssue.Issue): SchemaIssue.Filter => {
  if (issue._tag === "Filter") return issue
  if (issue._tag === "Composite") return filterOf(issue.issues[0])
  return Predicate.hasProperty(issue, "issue") ? filterOf(issue.issue as SchemaIssue.Issue) : assert.fail(issue._tag)
}

const said = <A>(schema: Schema.Codec<A, unknown>, value: unknown): string => {
  const decoded = Schema.decodeUnknownResult(schema)(value)
  return Result.isFailure(decoded) ? expectationOf(filterOf(decoded.failure.issue), value) : assert.fail("it was taken")
}

const text = (...checks: [ReturnType<typeof Schema.isMinLength>]) => Schema.String.check(...checks)

describe("the expectation of a check", () => {
  it.each([
    ["must not be empty", said(text(Schema.isMinLength(1)), "")],
    ["must have at least 2 characters", said(text(Schema.isMinLength(2)), "x")],
    ["must have at most 1 character", said(Schema.String.check(Schema.isMaxLength(1)), "xx")],
    ["must not be empty", said(Schema.Array(Schema.Int).check(Schema.isMinLength(1)), [])],
    ["must have at most 2 items", said(Schema.Array(Schema.Int).check(Schema.isMaxLength(2)), [1, 2, 3])],
    ["must not hold an item twice", said(Schema.Array(Schema.Int).check(Schema.isUnique()), [1, 1])],
    ["must be from 1 to 90", said(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 90 })), 91)],
    ["must be at least 1", said(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)), 0)],
    ["must be a colour", said(Schema.String.check(Schema.isPattern(/^red$/, { description: "a colour" })), "x")],
    [
      "must be from 1 to 90",
      said(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 90 })).annotate({ description: "Days" }), 91)
    ],
    [
      "must be a colour",
      said(
        Schema.String.check(Schema.isPattern(/^red$/, { expected: "a colour" })).annotate({ description: "Of hair" }),
        "x"
      )
    ],
    ["must be a colour", said(Schema.String.check(Schema.makeFilter(() => false, { expected: "a colour" })), "x")]
  ])("is said as a rule: %s", (expected, actual) => {
    assert.strictEqual(actual, expected)
  })
})
