import fc from "fast-check"
import { type Command, type ContactLog, machine } from "../../domain/giving/ContactLog.ts"
import type { Subject } from "../Laws.ts"
import { subjectOf } from "../SubjectOf.ts"
import { instant } from "./Month.ts"

/** Contact logs, deleted and not, for the laws. */
export const contactLogs: Subject<ContactLog, Command> = subjectOf(machine, {
  commandFields: {
    changes: fc.record(
      {
        contact_method: fc.constantFrom("PHONE", "EMAIL"),
        notes: fc.constantFrom(null, "Called back"),
        occurred_at: instant,
        follow_up_at: fc.option(instant),
        follow_up_completed_at: fc.option(instant)
      },
      { requiredKeys: [] }
    )
  },
  // decisions, section 4: Contact logs; section 1: Verbs.
  rows: `
    * → ACTIVE
    Change: ACTIVE → ACTIVE; ...changes
    Delete: ACTIVE → DELETED; deleted_at = at`
})
