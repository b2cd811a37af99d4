import { assert, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import * as ConsentPrompt from "../../../src/domain/giving/ConsentPrompt.ts"
import * as Generators from "../../../src/testing/Generators.ts"
import { forEvery } from "../../support/Property.ts"

const prompts = fc.sample(Generators.consentPrompt, { numRuns: 4, seed: 1 })
const at = DateTime.makeUnsafe("2026-07-01T00:00:00Z")

it("a consent prompt is asked by its place, then by its age", () => {
  const placed = fc
    .array(fc.record({ of: fc.constantFrom(...prompts), position: fc.integer({ min: 1, max: 3 }), age: fc.nat(3) }), {
      minLength: 2,
      maxLength: 6
    })
    .map((all) =>
      all.map(({ age, of, position }) => ({ ...of, position, created_at: DateTime.add(at, { days: -age }) }))
    )
  forEvery(placed, (all) => {
    const keys = all.toSorted(ConsentPrompt.inOrder).map((each) => [each.position, each.created_at.epochMilliseconds])
    for (const [index, [place = 0, time = 0]] of keys.entries()) {
      const [before = 0, earlier = 0] = keys[index - 1] ?? []
      assert.isTrue(before < place || (before === place && earlier <= time))
    }
  })
})
