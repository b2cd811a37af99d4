import { DateTime } from "effect"
import fc from "fast-check"
import * as Donor from "../../domain/giving/Donor.ts"
import { patchOf } from "../Arbitraries.ts"
import {
  again,
  type Charity,
  changeCommand,
  charity,
  hour,
  modelOf,
  patchOutcome,
  real,
  type ServiceUnderTest,
  start,
  stateOf,
  timedCommand
} from "./Charity.ts"

const name = fc.constantFrom(null, "Mary", "Odile")

const changes = patchOf({
  first_name: name,
  last_name: name,
  email: fc.constantFrom(null, "mary@example.org"),
  phone: fc.constantFrom(null, "0400 000 000"),
  do_not_contact: fc.boolean()
})

/** Whom a merge names: a donor that {@link duplicateOf} makes, or the survivor itself. */
type Named = "another" | "archived" | "itself" | "of another organisation"

/** Stands for the donor that is named until it is made. */
const placeholders: Readonly<Record<Named, string>> = {
  another: "dnr_00000000000000000000000000",
  archived: "dnr_00000000000000000000000001",
  itself: "dnr_00000000000000000000000002",
  "of another organisation": "dnr_00000000000000000000000003"
}

const profile = fc.record({
  first_name: name,
  last_name: fc.constant("Okafor"),
  email: fc.constantFrom(null, "ada@example.org"),
  do_not_contact: fc.boolean(),
  marketing_consent_at: fc.constantFrom(null, "2025-12-24T00:00:00.000Z")
})

/** The fields that every donor has that a merge names. */
const born = {
  organisation_id: "org_00000000000000000000000000",
  donor_type: "INDIVIDUAL",
  country: "AU",
  profile_revision: 1,
  created_at: DateTime.formatIso(start),
  updated_at: DateTime.formatIso(start)
}

const duplicate = fc
  .record({
    profile,
    named: fc.constantFrom<Named>("another", "another", "archived", "itself", "of another organisation")
  })
  .map(({ named, profile }) => stateOf(Donor.Donor, { ...profile, id: placeholders[named] }, born))

/** The donor that a merge names, made in the service. */
const duplicateOf = async (
  driven: ServiceUnderTest,
  { calls, id: organisation_id }: Charity,
  survivor: string,
  drawn: Donor.Donor
): Promise<Donor.Donor> => {
  const made = async (owner: Pick<Charity, "calls" | "id">): Promise<Donor.Donor> => {
    const { do_not_contact, email, first_name, last_name, marketing_consent_at } = drawn
    const { donors } = owner.calls
    const { id } = await donors.create({ do_not_contact, email, first_name, last_name, marketing_consent_at })
    const shown = await (drawn.id === placeholders.archived ? donors.archive(id) : donors.read(id))
    return stateOf(Donor.Donor, shown, { organisation_id: owner.id, profile_revision: 1 })
  }
  if (drawn.id === placeholders["of another organisation"]) return made(await charity(driven))
  if (drawn.id !== placeholders.itself) return made({ calls, id: organisation_id })
  return stateOf(Donor.Donor, await calls.donors.read(survivor), { organisation_id, profile_revision: 1 })
}

/** Donors that are changed, archived and take over duplicates, beside {@link Donor.machine}. */
export const donors = modelOf(Donor.machine, (driven) => ({
  commands: fc.oneof(
    { weight: 4, arbitrary: changeCommand("Change", changes) },
    { weight: 3, arbitrary: fc.record({ _tag: fc.constant("Merge" as const), at: hour, duplicate }) },
    { weight: 1, arbitrary: timedCommand("Archive") }
  ),
  fields: Object.keys(Donor.DonorRecord.fields),
  open: async () => {
    const own = await charity(driven)
    const { calls, id: organisation_id } = own
    const shown = await calls.donors.create({ first_name: "Mary" })
    const born = stateOf(Donor.Donor, shown, { organisation_id, profile_revision: 0 })
    const prepare = async (command: Donor.Command): Promise<Donor.Command> => {
      if (command._tag !== "Merge") return command
      driven.clock.set(command.at)
      return { ...command, duplicate: await duplicateOf(driven, own, born.id, command.duplicate) }
    }
    const donor = real(driven, calls, born, calls.donors.read, (command: Donor.Command) => {
      if (command._tag === "Change") return calls.donors.update(born.id, command.changes)
      if (command._tag === "Merge") return calls.donors.merge(born.id, { duplicate_donor_id: command.duplicate.id })
      return calls.donors.archive(born.id)
    })
    return { ...donor, prepare }
  },
  answers: (decides, state, command) => {
    if (command._tag === "Merge" || command._tag === "MergeInto") return decides(state, command)
    const isArchived = state.archived_at !== null
    return command._tag === "Archive" && isArchived
      ? again(Donor.machine, "donor.archived", state, command)
      : patchOutcome(isArchived, decides, state, command)
  },
  refusal: ({ _tag }) => (_tag === "GuardRefused" ? "InvalidInput" : "RecordArchived")
}))
