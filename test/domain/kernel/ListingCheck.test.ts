import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { type ListQuery, type ListSpec, parse, within } from "../../../src/domain/kernel/Listing.ts"
import { checkedQuery } from "../../../src/domain/kernel/ListingCheck.ts"
import { forEvery } from "../../support/Property.ts"

type Entry = readonly [name: string, value: string]

const spec = {
  filters: {
    label: { kind: "text", description: "Label" },
    colour: { kind: "enum", values: ["RED", "GREEN", "BLUE"], description: "Colour" },
    size: { kind: "integer", description: "Size" },
    ready: { kind: "boolean", description: "Whether it is ready" },
    made_at: { kind: "timestamp", description: "When it was made" }
  },
  sorts: { created_at: "created_at", label: "label_key" },
  archivable: true,
  words: (text) => text.split(" "),
  segments: true,
  flags: { deep: { default: false, description: "Whether parts are shown" } }
} as const satisfies ListSpec

const plain: ListSpec = { filters: spec.filters }

const filters: ReadonlyArray<fc.Arbitrary<Entry>> = [
  fc.tuple(fc.constant("label"), fc.constantFrom("a", "b", "a,b")),
  fc.tuple(fc.constant("label[in]"), fc.constantFrom("a", "a,b")),
  fc.tuple(fc.constant("colour[not_in]"), fc.constantFrom("RED", "RED,BLUE")),
  fc.tuple(fc.constantFrom("size[gte]", "size[lt]", "size[gt]"), fc.integer({ min: 0, max: 9 }).map(String)),
  fc.tuple(fc.constant("ready"), fc.constantFrom("true", "false")),
  fc.tuple(fc.constant("made_at[gte]"), fc.constantFrom("2026-01-02", "2026-01-02T03:04:05Z"))
]

const others: ReadonlyArray<fc.Arbitrary<Entry>> = [
  fc.tuple(fc.constant("limit"), fc.constantFrom("1", "50")),
  fc.tuple(fc.constant("starting_after"), fc.constantFrom("don_1", "don_2")),
  fc.tuple(fc.constant("archived"), fc.constantFrom("true", "false")),
  fc.tuple(fc.constant("search"), fc.constantFrom("a", "a b", "")),
  fc.tuple(fc.constant("segment"), fc.constantFrom("friends", "family")),
  fc.tuple(fc.constant("sort"), fc.constantFrom("label", "-label", "created_at")),
  fc.tuple(fc.constant("deep"), fc.constantFrom("true", "false"))
]

const asked = (given: ReadonlyArray<fc.Arbitrary<Entry>>): fc.Arbitrary<ReadonlyArray<Entry>> =>
  fc.tuple(...given.map((each) => fc.option(each, { nil: null }))).map((all) => all.filter((each) => each !== null))

const parsed = (entries: Iterable<Entry>, list: ListSpec): ListQuery => Result.getOrThrow(parse(list, entries))

/** Every parameter given, and none the default. */
const full = parsed(
  [
    ["label", "a"],
    ["size[gte]", "2"],
    ["limit", "7"],
    ["starting_after", "don_1"],
    ["archived", "true"],
    ["search", "a b"],
    ["segment", "friends"],
    ["sort", "label"],
    ["deep", "true"]
  ],
  spec
)

const failureOf = (query: unknown, list: ListSpec = spec) => {
  const read = checkedQuery(list, query)
  return Result.isFailure(read) ? read.failure : assert.fail(`taken: ${Object.keys(Object(query))}`)
}

const malformed = (query: unknown, list: ListSpec = spec): void => {
  const { _tag, message } = failureOf(query, list)
  assert.deepStrictEqual(
    [_tag, message],
    ["MalformedInput", "The query of a list must be one that Listing.parse made of the listing's parameters."]
  )
}

const refusedBy = (query: unknown, param: string): void => {
  const failure = failureOf(query)
  assert.strictEqual(failure._tag === "InvalidInput" ? failure.param : failure._tag, param)
}

describe("a query that a host gives", () => {
  it.each([
    ["every parameter", spec, [...filters, ...others]],
    ["filters only", plain, filters]
  ] as const)("is taken as parse made it: a list with %s", (_, list, entries) =>
    forEvery(asked(entries), (given) => {
      const query = parsed(given, list)
      assert.deepStrictEqual(checkedQuery(list, query), Result.succeed(query))
    })
  )

  it("may name its conditions in any order", () => {
    const query = { ...full, conditions: full.conditions.toReversed() }
    assert.lengthOf(query.conditions, 2)
    assert.deepStrictEqual(checkedQuery(spec, query), Result.succeed(full))
  })

  it("is read anew: what it takes comes from its parameters", () => {
    const other = { ...full, limit: 9, starting_after: null, flags: { deep: false } }
    assert.deepStrictEqual(checkedQuery(spec, other), Result.succeed(other))
    const without: Partial<Record<string, unknown>> = { ...full, flags: {} }
    assert.deepStrictEqual(checkedQuery(spec, without), Result.succeed({ ...full, flags: { deep: false } }))
  })

  it("is not taken where it asks for something else than its parameters do", () => {
    const [first, ...rest] = full.conditions
    if (first === undefined) return assert.fail()
    malformed({ ...full, conditions: rest })
    malformed({ ...full, conditions: [...full.conditions, first] })
    malformed({ ...full, conditions: [{ ...first, column: "organisation_id" }, ...rest] })
    malformed({ ...full, conditions: [{ ...first, operator: "not_in" }, ...rest] })
    malformed({ ...full, conditions: [{ ...first, type: "number" }, ...rest] })
    malformed({ ...full, conditions: [{ ...first, values: ["b"] }, ...rest] })
    malformed({ ...full, segment: null })
    malformed({ ...full, segment: "family" })
    malformed({ ...full, words: ["a"] })
    malformed({ ...full, words: ["b", "a"] })
    malformed({ ...full, sort: { ...full.sort, column: "created_at" } })
    malformed({ ...full, sort: { ...full.sort, descending: true } })
    malformed({ ...full, sent: { ...full.sent, search: null } })
    malformed({ ...full, sent: { ...full.sent, sort: "-label" } })
    malformed({ ...full, sent: { ...full.sent, sort: null } })
    malformed({ ...full, sent: { ...full.sent, segment: null } })
    malformed({ ...full, sent: { ...full.sent, filters: {} } })
    malformed(within(full, "donor_id", "dnr_1"))
    malformed({ ...parsed([], plain), archived: true }, plain)
    malformed({ ...parsed([], plain), words: ["a"] }, plain)
  })

  it("keeps to the bounds of its parameters, and says which it broke", () => {
    for (const limit of [0, -1, 101, 10_000]) refusedBy({ ...full, limit }, "limit")
    const search = "a ".repeat(1_000)
    refusedBy({ ...full, sent: { ...full.sent, search } }, "search")
    const unknown = failureOf({ ...full, flags: { wide: true } })
    assert.strictEqual(unknown._tag, "MalformedInput")
    assert.match(unknown.message, /^wide is not a filter of this list\. /)
  })

  it("is a whole one", () => {
    for (const query of [null, undefined, 7, "limit=7", [], {}, new Map(), () => full]) malformed(query)
    for (const name of Object.keys(full)) {
      malformed(Object.fromEntries(Object.entries(full).filter(([each]) => each !== name)))
      malformed({ ...full, [name]: 7n })
    }
    for (const name of Object.keys(full.sent)) {
      malformed({ ...full, sent: { ...full.sent, [name]: 7n } })
      malformed({ ...full, sent: Object.fromEntries(Object.entries(full.sent).filter(([each]) => each !== name)) })
    }
  })
})
