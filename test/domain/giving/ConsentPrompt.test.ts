import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import fc from "fast-check"
import {
  answersRefusal,
  ConsentPromptRecord,
  changesOf,
  consentOf,
  listing,
  machine,
  nextPosition
} from "../../../src/domain/giving/ConsentPrompt.ts"
import { ConsentPromptId } from "../../../src/domain/kernel/Ids.ts"
import { parse } from "../../../src/domain/kernel/Listing.ts"
import { decide } from "../../../src/domain/kernel/Machine.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import * as Generators from "../../../src/testing/Generators.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const now = DateTime.makeUnsafe("2026-07-01T00:00:00Z")

const prompts = fc.uniqueArray(fc.record({ id: arbitraryOf(ConsentPromptId), text: fc.string({ maxLength: 3 }) }), {
  selector: ({ id }) => id,
  maxLength: 4
})

/** Prompts with an answer to each, in another order, and one way of not having answered what is asked. */
const answered = fc
  .record({ prompts, accepted: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }) })
  .chain((given) => {
    const right = given.prompts.map(({ id, text }, index) => ({
      prompt_id: id as string,
      text,
      accepted: given.accepted[index] ?? false
    }))
    return fc.record({
      prompts: fc.constant(given.prompts),
      right: fc.constant(right),
      shuffled: fc.shuffledSubarray(right, { minLength: right.length }),
      at: fc.nat(3)
    })
  })

describe("answers to consent prompts", () => {
  it("are taken to all that is asked, in any order, and kept in the page's with their wording", () =>
    forEvery(answered, ({ prompts, right, shuffled }) => {
      assert.isNull(answersRefusal(prompts, shuffled))
      const { consent_given, consent_responses } = consentOf(prompts, shuffled, now)
      assert.deepStrictEqual(
        consent_responses.map(({ recorded_at: _, ...rest }) => rest),
        right
      )
      for (const { recorded_at } of consent_responses) assert.isTrue(DateTime.Equivalence(recorded_at, now))
      assert.strictEqual(consent_given, right.length === 0 ? null : (right[0]?.accepted ?? null))
    }))

  it("are refused where one is missing, is given twice, or is to something that is not asked", () =>
    forEvery(answered, ({ at, prompts, right }) => {
      fc.pre(right.length > 0)
      const index = at % right.length
      const one = right[index] ?? assert.fail()
      const wrong = [
        right.toSpliced(index, 1),
        [...right, one],
        right.with(index, { ...one, text: `${one.text}!` }),
        right.with(index, { ...one, prompt_id: "cpr_another" }),
        [...right, { ...one, prompt_id: "cpr_another" }]
      ]
      for (const each of wrong) assert.match(answersRefusal(prompts, each)?.param ?? "", /^consent(?:\[\d\])?$/)
    }))
})

describe("a consent prompt", () => {
  it("comes after all others where no place is given, as far as places go", () =>
    forEvery(fc.array(Generators.consentPrompt, { maxLength: 4 }), (all) => {
      const last = Math.max(0, ...all.map(({ position }) => position))
      assert.strictEqual(nextPosition(all), Math.min(1_000, last + 1))
    }))

  it("is changed by what differs alone, its text trimmed", () =>
    forEvery(Generators.consentPrompt, Generators.consentPrompt, (prompt, other) => {
      const trimmed = { ...prompt, text: prompt.text.trim() }
      assert.deepStrictEqual(changesOf(trimmed, { text: ` ${trimmed.text}\n`, position: trimmed.position }), {})
      const changes = changesOf(trimmed, { text: other.text, position: other.position })
      assert.deepStrictEqual(
        { ...trimmed, ...changes },
        { ...trimmed, text: other.text.trim(), position: other.position }
      )
    }))

  it("is at no place that no prompt may have, and the refusal names the field", () =>
    forEveryWith({ numRuns: 20 }, Generators.consentPrompt, fc.integer({ max: 0 }), (prompt, position) => {
      const decided = decide(machine, prompt, { _tag: "Change", at: now, changes: { position } })
      const refusal = Result.isFailure(decided) ? decided.failure : assert.fail("changed")
      assert.deepInclude(refusal, { _tag: "InvalidCommand", param: "changes.position" })
    }))
})

describe("consent prompts as their organisation sees them", () => {
  it("are without whose they are, which the reader knows", () => {
    assert.notProperty(ConsentPromptRecord.fields, "organisation_id")
    assert.property(ConsentPromptRecord.fields, "text")
  })

  it("are listed with those that are archived where the reader asks for these", () => {
    for (const archived of [true, false]) {
      const query = parse(listing, [["archived", String(archived)]])
      assert.deepInclude(Result.getOrThrow(query), { archived })
    }
  })
})
