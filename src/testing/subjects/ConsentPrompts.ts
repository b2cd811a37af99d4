import fc from "fast-check"
import { type Command, type ConsentPrompt, machine } from "../../domain/giving/ConsentPrompt.ts"
import type { Subject } from "../Laws.ts"
import { subjectOf } from "../SubjectOf.ts"

/** Consent prompts, archived and not, for the laws. */
export const consentPrompts: Subject<ConsentPrompt, Command> = subjectOf(machine, {
  commandFields: {
    changes: fc.record(
      { text: fc.constantFrom("May we write to you?", "May we call you?"), position: fc.integer({ min: 1, max: 3 }) },
      { requiredKeys: [] }
    )
  },
  // money, section 4: Consent.
  rows: `
    * → ACTIVE
    Change: ACTIVE → ACTIVE; ...changes
    Archive: ACTIVE → ARCHIVED; archived_at = at`
})
