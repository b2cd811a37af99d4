import fc from "fast-check"
import { type Changes, type Command, Donor } from "../../domain/giving/Donor.ts"
import { DonorId, OrganisationId } from "../../domain/kernel/Ids.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { instant } from "./Month.ts"

/** Identities from a small range: a duplicate is often of the same organisation, and sometimes the donor itself. */
const identity = fc.record({
  id: fc.constantFrom(...["1", "2", "3"].map((digit) => DonorId.make(`dnr_01h0000000000000000000000${digit}`))),
  organisation_id: fc.constantFrom(
    OrganisationId.make("org_01h00000000000000000000001"),
    OrganisationId.make("org_01h00000000000000000000002")
  )
})

const name = fc.constantFrom(null, "Mary", "Valley Fund")

const names = { first_name: name, last_name: name, organisation_name: name, email: fc.constantFrom(null, "m@b.org") }

/** What a merge fills: there, or not. */
const fillable = fc.constantFrom(null, "Hobart")

const details = {
  phone: fillable,
  address_line1: fillable,
  address_line2: fillable,
  suburb: fillable,
  state: fillable,
  postcode: fillable,
  employer_name: fillable,
  occupation: fillable,
  do_not_contact: fc.boolean(),
  marketing_consent_at: fc.option(instant, { freq: 2 })
}

/** Donors that have what their type needs. */
const states: fc.Arbitrary<Donor> = fc
  .tuple(
    arbitraryOf(Donor),
    identity,
    fc.record({ ...names, ...details }),
    fc.nat(1_000),
    fc.option(instant, { freq: 2 })
  )
  .map(([donor, ids, given, profile_revision, archived_at]) => ({
    ...donor,
    ...ids,
    ...given,
    country: "AU",
    first_name: given.first_name ?? "Odile",
    organisation_name: given.organisation_name ?? "Odile & Co.",
    profile_revision,
    archived_at
  }))

/** Changes, of which some leave a donor without the name that it needs. */
const changes: fc.Arbitrary<Changes> = fc.record(
  {
    ...names,
    donor_type: fc.constantFrom("INDIVIDUAL", "ORGANISATION"),
    phone: fc.constantFrom(null, "0400 000 000"),
    country: fc.constantFrom("AU", "NZ", ""),
    do_not_contact: fc.boolean(),
    marketing_consent_at: fc.option(instant)
  },
  { requiredKeys: [] }
)

const commands: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ _tag: fc.constantFrom("MergeInto" as const, "Archive" as const), at: instant }),
  fc.record({ _tag: fc.constant("Change" as const), at: instant, changes }),
  fc.record({ _tag: fc.constant("Merge" as const), at: instant, duplicate: states })
)

/** INDIVIDUAL and UNKNOWN need one of first name, last name and e-mail; the others the organisation's name. */
const hasItsName = (donor: Donor): boolean =>
  donor.country.length > 0 &&
  (["INDIVIDUAL", "UNKNOWN"].includes(donor.donor_type)
    ? [donor.first_name, donor.last_name, donor.email].some((each) => each !== null)
    : donor.organisation_name !== null)

const revised = ({ profile_revision }: Donor, at: Donor["updated_at"]) => ({
  profile_revision: profile_revision + 1,
  updated_at: at
})

/** A merge fills what is empty, keeps an opt-out that either had, and carries no consent over one. */
const together = (survivor: Donor, duplicate: Donor): Partial<Donor> => {
  const optedOut = [survivor, duplicate].some(({ do_not_contact }) => do_not_contact)
  return {
    first_name: survivor.first_name ?? duplicate.first_name,
    last_name: survivor.last_name ?? duplicate.last_name,
    organisation_name: survivor.organisation_name ?? duplicate.organisation_name,
    email: survivor.email ?? duplicate.email,
    phone: survivor.phone ?? duplicate.phone,
    address_line1: survivor.address_line1 ?? duplicate.address_line1,
    address_line2: survivor.address_line2 ?? duplicate.address_line2,
    suburb: survivor.suburb ?? duplicate.suburb,
    state: survivor.state ?? duplicate.state,
    postcode: survivor.postcode ?? duplicate.postcode,
    employer_name: survivor.employer_name ?? duplicate.employer_name,
    occupation: survivor.occupation ?? duplicate.occupation,
    do_not_contact: optedOut,
    marketing_consent_at: survivor.marketing_consent_at ?? (optedOut ? null : duplicate.marketing_consent_at)
  }
}

/** Donors, archived and not, for the laws. */
export const donors: Subject<Donor, Command> = {
  schema: Donor,
  states,
  commands,
  // decisions, section 4: Donors.
  expect: {
    Change: {
      from: ["ACTIVE"],
      to: "ACTIVE",
      events: ["donor.updated"],
      when: (donor, { changes }) => hasItsName({ ...donor, ...changes }),
      changes: (donor, { at, changes }) => ({ ...changes, ...revised(donor, at) })
    },
    Merge: {
      from: ["ACTIVE"],
      to: "ACTIVE",
      events: ["donor.merged"],
      when: (donor, { duplicate }) =>
        donor.id !== duplicate.id &&
        donor.organisation_id === duplicate.organisation_id &&
        duplicate.archived_at === null,
      changes: (donor, { at, duplicate }) => ({ ...together(donor, duplicate), ...revised(donor, at) })
    },
    MergeInto: {
      from: ["ACTIVE"],
      to: "ARCHIVED",
      changes: (donor, { at }) => ({ archived_at: at, ...revised(donor, at) })
    },
    Archive: {
      from: ["ACTIVE"],
      to: "ARCHIVED",
      events: ["donor.archived"],
      changes: (donor, { at }) => ({ archived_at: at, ...revised(donor, at) })
    }
  },
  invariants: { "a donor has the name that its type needs": hasItsName },
  steps: {
    "every change revokes the personalised links": ({ after, before }) =>
      after.profile_revision > before.profile_revision,
    "nobody who opted out is opted in by a merge": ({ after, before, command }) =>
      command._tag !== "Merge" || after.do_not_contact || !(before.do_not_contact || command.duplicate.do_not_contact)
  }
}
