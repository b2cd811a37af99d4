import fc from "fast-check"
import { type Changes, Command, ContactLog } from "../../domain/giving/ContactLog.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { at, instant } from "./Month.ts"

const changes: fc.Arbitrary<Changes> = fc.record(
  {
    contact_method: fc.constantFrom("PHONE", "EMAIL"),
    notes: fc.constantFrom(null, "Called back"),
    occurred_at: instant,
    follow_up_at: fc.option(instant),
    follow_up_completed_at: fc.option(instant)
  },
  { requiredKeys: [] }
)

/** Contact logs, deleted and not, for the laws. */
export const contactLogs: Subject<ContactLog, Command> = {
  schema: ContactLog,
  states: arbitraryOf(ContactLog),
  commands: fc
    .tuple(at(arbitraryOf(Command)), changes)
    .map(([command, given]): Command => (command._tag === "Change" ? { ...command, changes: given } : command)),
  // decisions, section 4: Contact logs; section 1: Verbs.
  expect: {
    Change: { from: ["ACTIVE"], to: "ACTIVE", changes: (_, { at, changes }) => ({ ...changes, updated_at: at }) },
    Delete: { from: ["ACTIVE"], to: "DELETED", changes: (_, { at }) => ({ deleted_at: at, updated_at: at }) }
  },
  steps: { "what is deleted never changes": ({ before }) => before.deleted_at === null }
}
