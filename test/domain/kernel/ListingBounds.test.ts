import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import { type ListSpec, parse } from "../../../src/domain/kernel/Listing.ts"
import { forEvery } from "../../support/Property.ts"

type Entry = readonly [name: string, value: string]

const most = Limits.queryParameters

/** A list with more filters than a request may have parameters. */
const spec: ListSpec = {
  filters: {
    size: { kind: "integer", description: "Size" },
    ...Object.fromEntries(
      Array.from({ length: 26 * 26 }, (_, index) => [
        `${String.fromCharCode(97 + Math.floor(index / 26), 97 + (index % 26))}`,
        { kind: "text" as const, description: "Text" }
      ])
    )
  },
  words: (text) => [...new Set(text.split(" ").filter((word) => word !== ""))]
}

const names = Object.keys(spec.filters).filter((name) => name !== "size")

/** Entries, and how many of them were read. */
const counted = (entries: ReadonlyArray<Entry>) => {
  let read = 0
  function* all() {
    for (const entry of entries) {
      read += 1
      yield entry
    }
  }
  return { entries: all(), read: () => read }
}

const outcome = (entries: Iterable<Entry>) =>
  Result.match(parse(spec, entries), {
    onFailure: (failure) => ({ tag: failure._tag, param: Reflect.get(failure, "param"), message: failure.message }),
    onSuccess: (query) => ({ tag: "read", param: undefined, message: `${query.conditions.length}` })
  })

describe("a query", () => {
  it(`has at most ${most} parameters, and of more of them no more are read`, () =>
    forEvery(fc.integer({ min: 0, max: 3 * most }), (count) => {
      const { entries, read } = counted(names.slice(0, count).map((name) => [name, "x"]))
      const { message, tag } = outcome(entries)
      if (count <= most) assert.deepStrictEqual([tag, message], ["read", `${count}`])
      else assert.deepStrictEqual([tag, message], ["MalformedInput", `A request has at most ${most} query parameters.`])
      assert.strictEqual(read(), Math.min(count, most + 1))
    }))

  it("is read up to the first parameter that is malformed", () =>
    forEvery(fc.nat(most - 2), fc.constantFrom("nope", "size[like]", "size"), (before, name) => {
      const sound = names.slice(0, before).map((each): Entry => [each, "x"])
      const rest = Array.from({ length: 5_000 }, (): Entry => ["nope", "x"])
      const { entries, read } = counted([...sound, [name, "x"], ...rest])
      assert.strictEqual(outcome(entries).tag, "MalformedInput")
      assert.strictEqual(read(), before + 1)
    }))

  it(`takes at most ${Limits.filterValues} values for a filter`, () =>
    forEvery(fc.constantFrom("in", "not_in"), fc.integer({ min: 1, max: 300 }), (operator, count) => {
      const param = `size[${operator}]`
      const told = outcome([[param, Array.from({ length: count }, (_, index) => index).join(",")]])
      if (count <= Limits.filterValues) assert.strictEqual(told.tag, "read")
      else assert.deepInclude(told, { tag: "InvalidInput", param })
    }))

  it(`takes ${Limits.searchWords} different words of a search, and no more`, () =>
    forEvery(fc.integer({ min: -2, max: 2 }), (beyond) => {
      const search = names.slice(0, Limits.searchWords + beyond).join(" ")
      assert.strictEqual(outcome([["search", search]]).tag, beyond > 0 ? "InvalidInput" : "read")
    }))

  it("searches for every word that it takes, and takes no more than it may", () => {
    const word = fc.stringMatching(/^[a-z\u{1f600}-\u{1f64f}]{1,9}$/u)
    forEvery(fc.array(word, { maxLength: 60 }), (words) => {
      const search = words.join(" ")
      const isTaken = [...search].length <= Limits.searchCharacters && new Set(words).size <= Limits.searchWords
      const read = parse(spec, [["search", search]])
      if (!isTaken) assert.deepInclude(outcome([["search", search]]), { tag: "InvalidInput", param: "search" })
      else assert.deepStrictEqual(new Set(Result.getOrThrow(read).words), new Set(words))
    })
  })
})
