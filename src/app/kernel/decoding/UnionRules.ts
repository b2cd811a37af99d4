import { Result, Schema, type SchemaIssue } from "effect"
import { expectationOf } from "../../../domain/kernel/Expectation.ts"
import { isOfType } from "./Shape.ts"

/** Why each member of a union that takes the type of a value refuses it: decoding the whole stops at the first one. */
const memberIssues = ({ ast }: SchemaIssue.AnyOf, value: unknown): ReadonlyArray<SchemaIssue.Issue> =>
  (ast._tag === "Union" ? ast.types : [])
    .filter((member) => isOfType(member, value))
    .flatMap((member) =>
      Result.match(Schema.decodeUnknownResult(Schema.make<Schema.Codec<unknown>>(member))(value), {
        onFailure: ({ issue }) => [issue],
        onSuccess: () => []
      })
    )

/** The rule of a value that an issue tells of; none where it is of something inside the value. */
const ruleIn = (issue: SchemaIssue.Issue): SchemaIssue.Filter | undefined => {
  switch (issue._tag) {
    case "Filter":
      return issue
    case "Composite":
      return ruleIn(issue.issues[0])
    case "Encoding":
      return ruleIn(issue.issue)
    default:
      return undefined
  }
}

/** The rules of which a value keeps none: `must be X, or Y`. */
const anyOf = (rules: ReadonlyArray<SchemaIssue.Filter>, value: unknown): string => {
  const expected = [...new Set(rules.map((each) => expectationOf(each, value)))]
  const must = "must be "
  const shared = expected.every((each) => each.startsWith(must))
  return expected.map((each, index) => (shared && index > 0 ? each.slice(must.length) : each)).join(", or ")
}

/**
 * The rules of which `value` keeps none, where several members of a union take its type, and each has one: `must be X, or Y`.
 * Undefined otherwise.
 */
export const unionExpectationOf = (issue: SchemaIssue.AnyOf, value: unknown): string | undefined => {
  const refusals = memberIssues(issue, value)
  const rules = refusals.flatMap((each) => ruleIn(each) ?? [])
  return rules.length > 1 && rules.length === refusals.length ? anyOf(rules, value) : undefined
}
