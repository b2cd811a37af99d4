import fc from "fast-check"
import { type Changes, Command, ConsentPrompt } from "../../domain/giving/ConsentPrompt.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { at } from "./Month.ts"

const changes: fc.Arbitrary<Changes> = fc.record(
  { text: fc.constantFrom("May we write to you?", "May we call you?"), position: fc.integer({ min: 1, max: 3 }) },
  { requiredKeys: [] }
)

/** Consent prompts, archived and not, for the laws. */
export const consentPrompts: Subject<ConsentPrompt, Command> = {
  schema: ConsentPrompt,
  states: arbitraryOf(ConsentPrompt),
  commands: fc
    .tuple(at(arbitraryOf(Command)), changes)
    .map(([command, given]): Command => (command._tag === "Change" ? { ...command, changes: given } : command)),
  // money, section 4: Consent.
  expect: {
    Change: { from: ["ACTIVE"], to: "ACTIVE", changes: (_, { at, changes }) => ({ ...changes, updated_at: at }) },
    Archive: { from: ["ACTIVE"], to: "ARCHIVED", changes: (_, { at }) => ({ archived_at: at, updated_at: at }) }
  }
}
