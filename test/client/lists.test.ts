import { assert, describe, it } from "@effect/vitest"
import { lists, type Shape } from "../../src/client/Lists.ts"
import type { ListSpec } from "../../src/domain/kernel/Listing.ts"
import { declared } from "../support/Declaration.ts"

/** The shape that a declared list has. */
const shapeOf = (spec: ListSpec): Shape => ({
  ...Object.fromEntries(Object.entries(spec.filters).map(([name, { kind }]) => [name, kind])),
  ...(spec.sorts === undefined ? {} : { sort: Object.keys(spec.sorts) }),
  ...(spec.archivable === true ? { archived: "plain flag" } : {}),
  ...(spec.words === undefined ? {} : { search: "plain text" }),
  ...(spec.segments === true ? { segment: "plain text" } : {}),
  ...Object.fromEntries(Object.keys(spec.flags ?? {}).map((name) => [name, "plain flag" as const]))
})

describe("the client's table of lists", () => {
  it("says of every list what the declaration says", () => {
    const expected = declared.flatMap(({ list, name }) => (list === undefined ? [] : [[name, shapeOf(list)] as const]))
    const actual = Object.entries(lists).flatMap(([group, own]) =>
      Object.entries(own).map(([name, shape]) => [`${group}.${name}`, shape] as const)
    )
    assert.deepStrictEqual(Object.fromEntries<Shape>(actual), Object.fromEntries(expected))
  })
})
