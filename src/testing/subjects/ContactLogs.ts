import fc from "fast-check"
import * as ConsentPrompt from "../../domain/giving/ConsentPrompt.ts"
import { type Command, type ContactLog, machine } from "../../domain/giving/ContactLog.ts"
import * as RevenueCode from "../../domain/giving/RevenueCode.ts"
import { patchOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { subjectOf } from "../SubjectOf.ts"
import { instant } from "./Month.ts"

/** Contact logs, deleted and not, for the laws. */
export const contactLogs: Subject<ContactLog, Command> = subjectOf(machine, {
  commandFields: {
    changes: patchOf({
      contact_method: fc.constantFrom("PHONE", "EMAIL"),
      notes: fc.constantFrom(null, "Called back"),
      occurred_at: instant,
      follow_up_at: fc.option(instant),
      follow_up_completed_at: fc.option(instant)
    })
  },
  // decisions, section 4: Contact logs; section 1: Verbs.
  rows: `
    * → ACTIVE
    Change: ACTIVE → ACTIVE; ...changes
    Delete: ACTIVE → DELETED; deleted_at = at`
})

/** Consent prompts, archived and not, for the laws. */
export const consentPrompts: Subject<ConsentPrompt.ConsentPrompt, ConsentPrompt.Command> = subjectOf(
  ConsentPrompt.machine,
  {
    commandFields: {
      changes: patchOf({
        text: fc.constantFrom("May we write to you?", "May we call you?"),
        position: fc.integer({ min: 1, max: 3 })
      })
    },
    // money, section 4: Consent.
    rows: `
    * → ACTIVE
    Change: ACTIVE → ACTIVE; ...changes
    Archive: ACTIVE → ARCHIVED; archived_at = at`
  }
)

/** Revenue codes, archived and not, for the laws. */
export const revenueCodes: Subject<RevenueCode.RevenueCode, RevenueCode.Command> = subjectOf(RevenueCode.machine, {
  commandFields: {
    changes: patchOf({
      code: fc.constantFrom("GALA-26", "Winter appeal"),
      description: fc.constantFrom(null, "Gala dinner")
    }),
    jurisdiction: fc.constantFrom(null, "AU", "AU-VIC")
  },
  // decisions, section 4: Revenue codes; section 1: Verbs; law, section 3.
  rows: `
    * → ACTIVE
    * → ACTIVE
    Change: ACTIVE → ACTIVE; ...changes
    Assign: ACTIVE → ACTIVE; jurisdiction, *
    Archive: ACTIVE → ARCHIVED; archived_at = at`,
  changes: { Assign: (_, { jurisdiction }) => ({ is_fca: jurisdiction === "AU" }) }
})
