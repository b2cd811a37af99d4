import { DateTime, Effect, Option } from "effect"
import fc from "fast-check"
import { type ConsentPrompt, listing } from "../../domain/giving/ConsentPrompt.ts"
import { ConsentPromptId, type OrganisationId } from "../../domain/kernel/Ids.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { ConsentPromptStore } from "../../ports/giving/ConsentPromptStore.ts"
import type { Transaction } from "../../ports/kernel/Transaction.ts"
import * as Generators from "../Generators.ts"
import { holding } from "./Holding.ts"
import { lists } from "./Lists.ts"
import { at, freshId, newOrganisation } from "./Records.ts"
import { type Check, forAll, must, none, runsOf, same, type Thoroughness } from "./Suite.ts"

/** The ports that the checks use. */
type Needs = ConsentPromptStore | OrganisationStore | Transaction

const freshPromptId = Effect.map(freshId("consentPrompt"), (id) => ConsentPromptId.make(id))

const promptOf = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Partial<ConsentPrompt> = {}) {
  const prompt: ConsentPrompt = {
    id: yield* freshPromptId,
    organisation_id,
    text: "May we write to you?",
    position: 1,
    created_at: at(0),
    updated_at: at(0),
    archived_at: null,
    ...given
  }
  return prompt
})

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
  const prompt: ConsentPrompt = { ...given, id: yield* freshPromptId, organisation_id }
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

/**
 * The laws of {@link ConsentPromptStore}.
 */
export const consentPrompts = (given: Thoroughness = {}): ReadonlyArray<Check<Needs>> => [
  must(
    "a consent prompt is read back as it was written, and after an update, by its own organisation only",
    [
      "RecordStore.update MUST write all fields of the record that has the same organisation and id",
      "RecordReader MUST see the named organisation's records only"
    ],
    () =>
      forAll(
        runsOf(given),
        fc.tuple(Generators.consentPrompt, Generators.consentPrompt),
        Effect.fnUntraced(function* ([first, next]) {
          const store = yield* ConsentPromptStore
          const [{ id: organisation_id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
          const prompt = yield* stored(organisation_id, first)
          same(yield* store.find(organisation_id, prompt.id), Option.some(prompt))
          same(yield* store.findForUpdate(organisation_id, prompt.id), Option.some(prompt))
          none(yield* store.find(other.id, prompt.id))
          const changed = { ...next, id: prompt.id, organisation_id }
          yield* store.update({ ...changed, organisation_id: other.id })
          same(yield* store.find(organisation_id, prompt.id), Option.some(prompt))
          yield* store.update(changed)
          same(yield* store.find(organisation_id, prompt.id), Option.some(changed))
        })
      )
  ),

  must(
    "what a page asks are the organisation's prompts that are not archived, in their order",
    ["ConsentPromptStore.asked MUST answer the prompts that are not archived, in the order of ConsentPrompt.inOrder"],
    () =>
      forAll(
        runsOf(given),
        // At least two that are asked, the later one first.
        fc
          .tuple(fc.array(draft, { maxLength: 6 }), draft, draft)
          .map(([some, early, late]) => [
            ...some,
            { ...early, position: 2, created_at: at(1), archived_at: null },
            { ...late, position: 1, created_at: at(2), archived_at: null }
          ]),
        Effect.fnUntraced(function* (drafts) {
          const store = yield* ConsentPromptStore
          const [{ id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
          const prompts = yield* Effect.forEach(drafts, (each) => stored(id, each))
          yield* store.insert(yield* promptOf(other.id))
          const asked: ReadonlyArray<string> = (yield* store.asked(id)).map((each) => each.id)
          same(asked, shownOrder(prompts))
        })
      )
  ),

  ...lists(
    {
      name: "consent prompts",
      spec: listing,
      draft,
      store: stored,
      list: (organisation_id, query) => ConsentPromptStore.use((store) => store.list(organisation_id, query)),
      columns: (prompt) => prompt,
      archived: (prompt) => prompt.archived_at !== null
    },
    runsOf(given)
  ),

  holding({
    name: "a consent prompt",
    must: "RecordStore.findForUpdate MUST hold the row against every change until the surrounding transaction ends",
    make: Effect.gen(function* () {
      const { id } = yield* newOrganisation()
      return yield* Effect.tap(promptOf(id), (yield* ConsentPromptStore).insert)
    }),
    findForUpdate: ({ id, organisation_id }) =>
      ConsentPromptStore.use((store) => store.findForUpdate(organisation_id, id)),
    update: (prompt) => ConsentPromptStore.use((store) => store.update(prompt)),
    count: ({ position }) => position - 1,
    counted: (prompt, count) => ({ ...prompt, position: count + 1 })
  })
]
