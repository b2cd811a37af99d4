import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { makeFreeSlug } from "../../src/app/giving/form/FreeSlug.ts"
import { forEvery } from "../support/Property.ts"

/** A name's slug with its number, written by itself: short names are not cut. */
const slugOf = (number: number): string => (number === 1 ? "appeal" : `appeal-${number}`)

const find = (taken: ReadonlySet<string>, own: string | null = null) => {
  let looks = 0
  const free = makeFreeSlug((slugs) =>
    Effect.sync(() => {
      looks++
      return slugs.filter((slug) => taken.has(slug))
    })
  )
  return { slug: Effect.runSync(free("appeal", own)), looks }
}

const first = (count: number) => new Set(Array.from({ length: count }, (_, index) => slugOf(index + 1)))

const sets = fc.oneof(
  fc.nat({ max: 60 }).map(first),
  fc.nat({ max: 30_000 }).map(first),
  fc
    .tuple(fc.nat({ max: 3_000 }), fc.array(fc.integer({ min: 1, max: 3_000 }), { maxLength: 20 }))
    .map(([count, gaps]) => new Set([...first(count)].filter((slug) => !gaps.some((gap) => slugOf(gap) === slug))))
)

describe("the free slug of a name", () => {
  it("is free, is the lowest of few, and follows one that is taken; it is found in a few looks", () =>
    forEvery(sets, (taken) => {
      const { looks, slug } = find(taken)
      assert.isFalse(taken.has(slug))
      const number = Number(slug.split("-")[1] ?? 1)
      assert.strictEqual(slug, slugOf(number))
      if (number > 1) assert.isTrue(taken.has(slugOf(number - 1)))
      const lowest = Array.from({ length: 25 }, (_, index) => index + 1).find((each) => !taken.has(slugOf(each)))
      if (lowest !== undefined) assert.strictEqual(number, lowest)
      assert.isAtMost(looks, 8)
    }))

  it("may be the one that a record has, unless a lower one has come free", () =>
    forEvery(sets, fc.integer({ min: 1, max: 3_000 }), (taken, number) => {
      const own = slugOf(number)
      const { slug } = find(new Set([...taken, own]), own)
      assert.isTrue(slug === own || !taken.has(slug))
      if (number <= 25 || slug !== own) assert.isAtMost(Number(slug.split("-")[1] ?? 1), number)
      // Given its own slug, a record asks for no other one.
      assert.strictEqual(find(new Set([...taken, own]), slug).slug === own, slug === own)
    }))

  it("is not the one of a record of another name", () => {
    assert.strictEqual(find(first(1), "winter-7").slug, "appeal-2")
    assert.strictEqual(find(first(70), "appeal-70").slug, "appeal-70")
  })
})
