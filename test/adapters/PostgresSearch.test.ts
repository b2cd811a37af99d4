import { assert } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import * as Donor from "../../src/domain/giving/Donor.ts"
import { OrganisationId } from "../../src/domain/kernel/Ids.ts"
import { type ListQuery, parse } from "../../src/domain/kernel/Listing.ts"
import { DonorStore } from "../../src/ports/giving/DonorStore.ts"
import { fieldsOf } from "../support/Answer.ts"
import { layerFresh } from "../support/FreshDatabase.ts"
import { withLayer } from "../support/Steps.ts"
import { statementsOf } from "./ListPlans.ts"
import { storesOn } from "./PostgresStores.ts"

const count = 12_000
const idOf = (prefix: string, n: number) => `${prefix}_01h2xcejqtf2nbrexx3v${String(n).padStart(6, "0")}`
const organisation = OrganisationId.make(idOf("org", 1))
const neighbour = OrganisationId.make(idOf("org", 2))

/** Words, and who of the donors has each: all, most, half, few, one, or nobody. */
const words = new Map<string, (n: number) => boolean>([
  ["every", () => true],
  ["even", (n) => n % 2 === 0],
  ["odd", (n) => n % 2 === 1],
  ["third", (n) => n % 3 !== 0],
  ["fifth", (n) => n % 5 !== 0],
  ["late", (n) => n > count / 2],
  ["thousandth", (n) => n % 1_000 === 0],
  ["single", (n) => n === 77],
  ["nobody", () => false]
])

/** Donors, 1 the newest; a neighbour has the same words and more. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const [id, slug] of [
    [organisation, "a"],
    [neighbour, "b"]
  ] as const) {
    yield* sql`
      INSERT INTO organisations VALUES (${id}, ${slug}, 'n', false, 'UTC', 'AUD', NULL, NULL, 'FREE', '{}', now(), now())`
    yield* sql`
      INSERT INTO donors (organisation_id, id, donor_type, country, do_not_contact, profile_revision, created_at, updated_at,
        last_name_key)
      SELECT ${id}, 'dnr_01h2xcejqtf2nbrexx3v' || lpad(g::text, 6, '0'), 'INDIVIDUAL', 'AU', false, 1,
        now() - g * interval '1 minute', now() + g * interval '1 minute', 'name'
      FROM generate_series(1, ${count}) AS g`
  }
  for (const [word, isHeld] of words) {
    const holders = Array.from({ length: count }, (_, index) => index + 1).filter(isHeld)
    const ids = holders.map((n) => idOf("dnr", n))
    yield* sql`INSERT INTO donor_words SELECT ${organisation}, id, ${word} FROM unnest(${ids}::text[]) AS id`
    yield* sql`INSERT INTO donor_words SELECT ${neighbour}, id, ${word} FROM donors WHERE organisation_id = ${neighbour}`
  }
  yield* sql`ANALYZE`
})

const query = (search: string, more = ""): ListQuery =>
  Result.getOrThrow(parse(Donor.listing, new URLSearchParams(`search=${search}${more}`)))

/** The blocks that the statements of an effect touch. */
const blocksOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    let blocks = 0
    for (const [text, params] of yield* statementsOf(effect)) {
      const [row] = yield* sql.unsafe(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, params)
      const [explained] = Object(Object.values(Object(row))[0])
      blocks += Number(explained.Plan["Shared Hit Blocks"]) + Number(explained.Plan["Shared Read Blocks"])
    }
    return blocks
  })

const beginnings = fc
  .tuple(fc.constantFrom(...words.keys()), fc.nat(8))
  .map(([word, cut]) => word.slice(0, Math.max(2, word.length - cut)))

const asked = fc.record({
  words: fc.array(beginnings, { minLength: 1, maxLength: 6 }),
  sort: fc.constantFrom("-created_at", "created_at", "updated_at"),
  after: fc.option(fc.integer({ min: 1, max: count }), { nil: undefined }),
  limit: fc.constantFrom(1, 10, 100)
})

withLayer(Layer.effectDiscard(Effect.orDie(fill)).pipe(Layer.provideMerge(storesOn(layerFresh))), {
  excludeTestServices: true
})("a search", ({ effect }) => {
  effect("finds whoever has every word, in the list's order, however common the words are", function* () {
    const store = yield* DonorStore
    for (const { after, limit, sort, words: given } of fc.sample(asked, { numRuns: 120, seed: 5 })) {
      const more = `&sort=${sort}&limit=${limit}${after === undefined ? "" : `&starting_after=${idOf("dnr", after)}`}`
      const page = yield* store.list(organisation, query(given.join("+"), more))
      const isFound = (n: number) =>
        given.every((prefix) => [...words].some(([word, isHeld]) => word.startsWith(prefix) && isHeld(n)))
      const upward = Array.from({ length: count }, (_, index) => index + 1).filter(isFound)
      // The newest is 1, which was changed first.
      const ordered = sort === "created_at" ? upward.toReversed() : upward
      const rest = ordered.filter((n) => after === undefined || (sort === "created_at" ? n < after : n > after))
      const told = `${given.join(" ")}${more}`
      assert.deepStrictEqual(
        fieldsOf(page.data, "id"),
        rest.slice(0, limit).map((n) => idOf("dnr", n)),
        told
      )
      assert.strictEqual(page.has_more, rest.length > limit, told)
    }
  })

  effect("for common words that nobody has together does not look at every donor", function* () {
    const store = yield* DonorStore
    // One look at one word of one donor touches three blocks or more.
    for (const search of ["even+odd", "every+even+odd", "even+odd+third+fifth+every"]) {
      assert.isBelow(yield* blocksOf(store.list(organisation, query(search))), 2 * count, search)
    }
  })

  effect("with a rare word looks at those who have it", function* () {
    const store = yield* DonorStore
    for (const search of ["single+every", "thousandth+every+even+third", "nobody+every"]) {
      assert.isBelow(yield* blocksOf(store.list(organisation, query(search))), count / 10, search)
    }
  })
})
