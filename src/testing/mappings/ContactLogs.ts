import { DateTime } from "effect"
import fc from "fast-check"
import * as ContactLog from "../../domain/giving/ContactLog.ts"
import { patchOf } from "../Arbitraries.ts"
import { charity, modelOf, patchOrEnd, patchOutcome, real, start, stateOf, unlessGone } from "./Charity.ts"

const instant = fc.constantFrom(null, start, DateTime.add(start, { days: 7 }))

const changes = patchOf({
  contact_method: fc.constantFrom("PHONE" as const, "LETTER" as const),
  notes: fc.constantFrom(null, "Left a message."),
  follow_up_at: instant,
  follow_up_completed_at: instant
})

const hidden = ["organisation_id", "deleted_at"]

/** Entries about contacts that are changed and deleted, beside {@link ContactLog.machine}. A deleted one is not shown. */
export const contactLogs = modelOf(ContactLog.machine, (driven) => ({
  commands: patchOrEnd(changes, "Delete"),
  fields: Object.keys(ContactLog.ContactLog.fields).filter((field) => !hidden.includes(field)),
  shown: (log) => (log.deleted_at === null ? log : {}),
  open: async () => {
    const { calls, id: organisation_id } = await charity(driven)
    const { create, read, delete: remove, update } = calls.contactLogs
    const { id: donor_id } = await calls.donors.create({ first_name: "Mary" })
    const shown = await create(donor_id, { contact_method: "PHONE" })
    const born = stateOf(ContactLog.ContactLog, shown, { organisation_id })
    const readIt = (id: string) => unlessGone(read(donor_id, id))
    return real(driven, calls, born, readIt, (command: ContactLog.Command) =>
      command._tag === "Delete" ? remove(donor_id, born.id) : update(donor_id, born.id, command.changes)
    )
  },
  answers: (decides, state, command) => patchOutcome(state.deleted_at !== null, decides, state, command),
  // A deleted entry is none that callers know.
  refusal: () => "NotFound"
}))
