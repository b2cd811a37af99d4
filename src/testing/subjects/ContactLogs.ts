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
    .map(([command, given]): Command => (command._tag === "Change" ? { ...command, changes: given } : command))
}
