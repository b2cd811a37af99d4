import fc from "fast-check"
import * as ConsentPrompt from "../../domain/giving/ConsentPrompt.ts"
import { patchOf } from "../Arbitraries.ts"
import { charity, modelOf, patchOrEnd, patchOutcome, real, stateOf } from "./Charity.ts"

const changes = patchOf({
  text: fc.constantFrom("May we write?", "May we call?"),
  position: fc.integer({ min: 1, max: 2 })
})

/** Consent prompts that staff change and archive, beside {@link ConsentPrompt.machine}. */
export const consentPrompts = modelOf(ConsentPrompt.machine, (driven) => ({
  commands: patchOrEnd(changes, "Archive"),
  fields: Object.keys(ConsentPrompt.ConsentPromptRecord.fields),
  open: async () => {
    const { caller, calls, id: organisation_id } = await charity(driven)
    const { archive, create, read, update } = driven.almoner.consentPrompts
    const born = stateOf(ConsentPrompt.ConsentPrompt, await create(caller, { text: "May we write?" }), {
      organisation_id
    })
    return real(
      driven,
      calls,
      born,
      (id) => read(caller, id),
      (command: ConsentPrompt.Command) =>
        command._tag === "Archive" ? archive(caller, born.id) : update(caller, born.id, command.changes)
    )
  },
  answers: (decides, state, command) => patchOutcome(state.archived_at !== null, decides, state, command),
  refusal: () => "RecordArchived"
}))
