import fc from "fast-check"
import { type Command, machine, type RevenueCode } from "../../domain/giving/RevenueCode.ts"
import type { Subject } from "../Laws.ts"
import { subjectOf } from "../SubjectOf.ts"

/** Revenue codes, archived and not, for the laws. */
export const revenueCodes: Subject<RevenueCode, Command> = subjectOf(machine, {
  commandFields: {
    changes: fc.record(
      { code: fc.constantFrom("GALA-26", "Winter appeal"), description: fc.constantFrom(null, "Gala dinner") },
      { requiredKeys: [] }
    )
  },
  // decisions, section 4: Revenue codes; section 1: Verbs.
  rows: `
    * → ACTIVE
    * → ACTIVE
    Change: ACTIVE → ACTIVE; ...changes
    Archive: ACTIVE → ARCHIVED; archived_at = at`
})
