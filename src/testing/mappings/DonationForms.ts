import fc from "fast-check"
import * as DonationForm from "../../domain/giving/DonationForm.ts"
import { patchOf } from "../Arbitraries.ts"
import {
  again,
  changeCommand,
  charity,
  modelOf,
  noChange,
  patchOutcome,
  real,
  stateOf,
  timedCommand
} from "./Charity.ts"

/** Around the amounts that a form suggests, so that the rules of a form are met from both sides. */
const amount = fc.constantFrom(null, 1_000, 2_500, 5_000, 25_000, 30_000)

const changes = patchOf({
  title: fc.constantFrom("Winter appeal", "For the winter"),
  description: fc.constantFrom(null, "A bed for each night"),
  minimum_amount_cents: amount,
  maximum_amount_cents: amount
})

/** The status that a PATCH names for a command. */
const named = { Activate: "ACTIVE", Pause: "PAUSED", Resume: "ACTIVE" } as const

/** Forms that are changed, activated, paused and archived, beside {@link DonationForm.machine}. */
export const donationForms = modelOf(DonationForm.machine, (driven) => ({
  commands: fc.oneof(
    { weight: 3, arbitrary: changeCommand("Change", changes) },
    { weight: 4, arbitrary: timedCommand("Activate", "Pause", "Resume") },
    { weight: 1, arbitrary: timedCommand("Archive") }
  ),
  fields: Object.keys(DonationForm.DonationFormRecord.fields).filter((field) => field !== "hosted_page_url"),
  open: async () => {
    const { calls, id: organisation_id } = await charity(driven)
    const shown = await calls.forms.create({ name: "Winter appeal" })
    const born = stateOf(DonationForm.DonationForm, shown, { organisation_id })
    const { archive, read, update } = calls.forms
    return real(driven, calls, born, read, (command: DonationForm.Command) => {
      if (command._tag === "Archive") return archive(born.id)
      return update(born.id, command._tag === "Change" ? command.changes : { status: named[command._tag] })
    })
  },
  answers: (decides, state, command) => {
    const { status } = state
    if (command._tag === "Archive") {
      return status === "ARCHIVED"
        ? again(DonationForm.machine, "donation_form.archived", state, command)
        : decides(state, command)
    }
    if (command._tag === "Change") return patchOutcome(status === "ARCHIVED", decides, state, command)
    if (named[command._tag] === status) return noChange(state)
    const isActivation = named[command._tag] === "ACTIVE"
    return decides(state, isActivation ? { ...command, _tag: status === "PAUSED" ? "Resume" : "Activate" } : command)
  },
  refusal: ({ _tag }, { status }) => {
    if (status === "ARCHIVED") return "RecordArchived"
    return _tag === "GuardRefused" ? "InvalidInput" : _tag
  }
}))
