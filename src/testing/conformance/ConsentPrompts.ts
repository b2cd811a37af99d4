import { DateTime, Effect } from "effect"
import fc from "fast-check"
import { ConsentPrompt, listing } from "../../domain/giving/ConsentPrompt.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { ConsentPromptStore } from "../../ports/giving/ConsentPromptStore.ts"
import * as Generators from "../Generators.ts"
import { recordStore } from "./RecordStores.ts"
import { at, freshId, makerOf } from "./Records.ts"
import { runsOf, same, type Thoroughness } from "./Suite.ts"

const promptOf = makerOf(ConsentPrompt, "consentPrompt", (organisation_id: OrganisationId, id) => ({
  id,
  organisation_id,
  text: "May we write to you?",
  position: 1
}))

const draft = fc
  .tuple(
    Generators.consentPrompt,
    fc.record({
      position: fc.integer({ min: 1, max: 3 }),
      created_at: fc.nat(3).map(at),
      archived_at: fc.option(fc.nat(3).map(at), { freq: 3 })
    })
  )
  .map(([prompt, given]): ConsentPrompt => ({ ...prompt, ...given }))

const stored = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: ConsentPrompt) {
  const prompt: ConsentPrompt = { ...given, id: yield* freshId("consentPrompt"), organisation_id }
  yield* (yield* ConsentPromptStore).insert(prompt)
  return prompt
})

/** Sorts by one property after the other, as text; instants and places are made equally long. */
const shownOrder = (prompts: ReadonlyArray<ConsentPrompt>): ReadonlyArray<string> =>
  prompts
    .filter(({ archived_at }) => archived_at === null)
    .map(({ created_at, id, position }) => `${1_000 + position} ${DateTime.formatIso(created_at)} ${id}`)
    .sort()
    .map((text) => text.split(" ").at(-1) ?? "")

/** The laws of {@link ConsentPromptStore}. */
export const consentPrompts = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "consent prompts",
    port: ConsentPromptStore,
    arbitrary: Generators.consentPrompt,
    schema: ConsentPrompt,
    fresh: freshId("consentPrompt"),
    list: { spec: listing, few: fc.record({ position: fc.integer({ min: 1, max: 3 }) }) }
  })(({ property }) => [
    property(
      "what a page asks are the organisation's prompts that are not archived, in their order",
      ["ConsentPromptStore.asked MUST answer the prompts that are not archived, in the order of ConsentPrompt.inOrder"],
      runsOf(given),
      // At least two that are asked, the later one first.
      fc
        .tuple(fc.array(draft, { maxLength: 6 }), draft, draft)
        .map(([some, early, late]) => [
          ...some,
          { ...early, position: 2, created_at: at(1), archived_at: null },
          { ...late, position: 1, created_at: at(2), archived_at: null }
        ]),
      function* (drafts, { store, id, other }) {
        const prompts = yield* Effect.forEach(drafts, (each) => stored(id, each))
        yield* store.insert(yield* promptOf(other))
        const shown = shownOrder(prompts).flatMap((asked) => prompts.filter((each) => each.id === asked))
        same(yield* store.asked(id), shown)
      }
    )
  ])
