import fc from "fast-check"
import * as Donor from "../../domain/giving/Donor.ts"
import { emissionsOf } from "../../domain/kernel/Machine.ts"
import type { Model } from "../Models.ts"
import { again, charity, type Driven, differing, hour, nothing, real, stateOf } from "./Charity.ts"

const name = fc.constantFrom(null, "Mary", "Odile")

const changes = fc.record(
  {
    first_name: name,
    last_name: name,
    email: fc.constantFrom(null, "mary@example.org"),
    phone: fc.constantFrom(null, "0400 000 000"),
    do_not_contact: fc.boolean()
  },
  { requiredKeys: [] }
)

const commands: fc.Arbitrary<Donor.Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ _tag: fc.constant("Change" as const), at: hour, changes }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Archive" as const), at: hour }) }
)

/** Donors that are changed and archived, beside {@link Donor.machine}. */
export const donors = (driven: Driven): Model<Donor.Donor, Donor.Status, Donor.Command, Donor.DonorEvent> => ({
  machine: Donor.machine,
  commands,
  fields: Object.keys(Donor.DonorRecord.fields),
  open: async () => {
    const { calls, id: organisation_id } = await charity(driven)
    const shown = await calls.donors.create({ first_name: "Mary" })
    const born = stateOf(Donor.Donor, shown, { organisation_id, profile_revision: 0 })
    return real(driven, calls, born, calls.donors.read, (command: Donor.Command) => {
      if (command._tag === "Change") return calls.donors.update(born.id, command.changes)
      return calls.donors.archive(born.id)
    })
  },
  answers: (decides, state, command) => {
    const isArchived = state.archived_at !== null
    if (command._tag === "Archive" && isArchived) {
      return again(state, emissionsOf(Donor.machine, ["donor.archived"], state, command))
    }
    if (command._tag !== "Change") return decides(state, command)
    const changes = differing(state, command.changes)
    return Object.keys(changes).length === 0 && !isArchived ? nothing(state) : decides(state, { ...command, changes })
  },
  refusal: ({ _tag }) => (_tag === "GuardRefused" ? "InvalidInput" : "RecordArchived")
})
