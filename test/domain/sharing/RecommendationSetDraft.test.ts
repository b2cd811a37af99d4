import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import fc from "fast-check"
import { Slug } from "../../../src/domain/access/Organisation.ts"
import { AllocationId, OrganisationId, RecommendationSetId } from "../../../src/domain/kernel/Ids.ts"
import * as RecommendationSet from "../../../src/domain/sharing/RecommendationSet.ts"
import * as Draft from "../../../src/domain/sharing/RecommendationSetDraft.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { text } from "../../../src/testing/Generators.ts"
import { forEvery } from "../../support/Property.ts"

const input = fc
  .tuple(arbitraryOf(RecommendationSet.NewRecommendationSet), text(600))
  .map(([given, name]): RecommendationSet.NewRecommendationSet => ({ ...given, name: `${name} x` }))

const origin = fc.record({
  id: arbitraryOf(RecommendationSetId),
  organisation_id: arbitraryOf(OrganisationId),
  url_key: fc.constant("k".repeat(Draft.urlKeyCharacters)),
  allocations: fc.array(arbitraryOf(RecommendationSet.Allocation), { minLength: 1, maxLength: 3 }),
  at: fc.constant(DateTime.makeUnsafe("2026-06-01T00:00:00Z"))
})

const isSlug = Schema.is(Slug)

describe("a new recommendation set", () => {
  it("is active, has what was given, and a slug whatever its name", () =>
    forEvery(input, origin, (given, from) => {
      const set = Draft.create(given, from)
      assert.isTrue(set.is_active && set.archived_at === null)
      assert.isTrue(isSlug(set.slug), set.slug)
      assert.strictEqual(set.name, given.name.trim())
      assert.strictEqual(set.amount_mode, given.amount_mode ?? "FIXED")
      assert.strictEqual(set.min_total_cents, given.min_total_cents ?? null)
      assert.strictEqual(set.description, given.description === "" ? null : (given.description ?? null))
      assert.strictEqual(Draft.givingPath(set), `/g/${from.url_key}`)
    }))

  it("has a key of 142 random bits", () => {
    assert.strictEqual(Math.floor(Draft.urlKeyCharacters * Math.log2(62)), 142)
  })

  it("is changed in what a patch gives, and in nothing else", () => {
    const patch = fc.record(
      { name: fc.constant(" Harvest "), description: fc.constant(null), allocations: fc.constant([]) },
      { requiredKeys: [] }
    )
    const allocations = fc.array(arbitraryOf(RecommendationSet.Allocation), { maxLength: 2 })
    forEvery(patch, allocations, (given, resolved) => {
      const changes = Draft.changesOf(given, given.allocations === undefined ? undefined : resolved)
      assert.deepStrictEqual(changes, {
        ...given,
        ...("name" in given ? { name: "Harvest" } : {}),
        ...("allocations" in given ? { allocations: resolved } : {})
      })
    })
  })

  it("is changed by no patch that says what it was made of, whatever ids its allocations would get", () =>
    forEvery(input, origin, arbitraryOf(AllocationId), (given, from, id) => {
      const set = Draft.create(given, from)
      const { allocations, amount_mode, expires_at, min_total_cents, name, slug } = { ...given, ...set }
      const patch = {
        allocations,
        amount_mode,
        expires_at,
        min_total_cents,
        name: ` ${name}\t`,
        slug,
        is_active: true
      }
      const renewed = allocations.map((each) => ({ ...each, id }))
      assert.deepStrictEqual(RecommendationSet.differingChanges(set, Draft.changesOf(patch, renewed)), {})
    }))
})
