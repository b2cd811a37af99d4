import { assert, describe, it } from "@effect/vitest"
import { Context, Result } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../../src/adapters/http/Api.ts"
import { Lists } from "../../src/adapters/http/endpoints/Annotations.ts"
import * as Listing from "../../src/domain/kernel/Listing.ts"

/** Every list with the names of the parameters that it declares. */
const lists: Array<readonly [name: string, declared: ReadonlyArray<string>, spec: Listing.ListSpec]> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
    const spec = Context.getOrUndefined(mergedAnnotations, Lists)
    const ast = endpoint.query?.ast
    if (spec === undefined || ast?._tag !== "Objects") return
    const names = ast.propertySignatures.map(({ name }) => String(name))
    lists.push([`${group.identifier}.${endpoint.identifier}`, names, spec])
  }
})

const operators = ["eq", "in", "not_in", "gt", "gte", "lt", "lte"]

/** A parameter is known where it is read, or refused for its value. */
const isKnown = (spec: Listing.ListSpec, name: string): boolean => {
  const parsed = Listing.parse(spec, [[name, "?"]])
  return Result.isSuccess(parsed) || !/is not a|has no/.test(parsed.failure.message)
}

describe("the parameters that a list declares", () => {
  it("there are lists of every kind of record", () => assert.isAtLeast(lists.length, 14))

  it.each(lists)("%s: are those that it reads, each operator of each filter, and no other", (_, declared, spec) => {
    const names = [
      ...["limit", "starting_after", "archived", "search", "segment", "sort"],
      ...Object.keys(spec.flags ?? {}),
      ...Object.keys(spec.filters).flatMap((filter) => [filter, ...operators.map((each) => `${filter}[${each}]`)])
    ]
    assert.sameMembers(
      [...declared],
      names.filter((name) => isKnown(spec, name))
    )
  })
})
