import fc from "fast-check"
import { type Changes, type Command, Donor, machine } from "../../domain/giving/Donor.ts"
import { DonorId, OrganisationId } from "../../domain/kernel/Ids.ts"
import { arbitraryOf, patchOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { subjectOf } from "../SubjectOf.ts"
import { instant } from "./Month.ts"

/** Identities from a small range: a duplicate is often of the same organisation, and sometimes the donor itself. */
const identity = fc.record({
  id: fc.constantFrom(...["1", "2", "3"].map((digit) => DonorId.make(`dnr_01h0000000000000000000000${digit}`))),
  organisation_id: fc.constantFrom(
    OrganisationId.make("org_01h00000000000000000000001"),
    OrganisationId.make("org_01h00000000000000000000001"),
    OrganisationId.make("org_01h00000000000000000000002")
  )
})

const name = fc.constantFrom(null, null, "Mary", "Valley Fund")

const names = { first_name: name, last_name: name, organisation_name: name, email: fc.constantFrom(null, "m@b.org") }

/** The fields that a merge does not fill from the duplicate. decisions, section 4: Donors. */
const unfilled = new Set([
  "id",
  "organisation_id",
  "donor_type",
  "country",
  "do_not_contact",
  "marketing_consent_at",
  "profile_revision",
  "created_at",
  "updated_at",
  "archived_at",
  "merged_into_donor_id"
])

/** The fields that a merge fills where the survivor has nothing. */
const filled = Object.keys(Donor.fields).filter((field) => !unfilled.has(field))

const details = fc.record({
  ...Object.fromEntries(filled.map((field) => [field, fc.constantFrom(null, "Hobart")])),
  ...names,
  do_not_contact: fc.constantFrom(true, false, false),
  marketing_consent_at: fc.option(instant, { freq: 2 })
})

/** Donors whom one field alone names, so that a change of it, or of what they are, leaves some without a name. */
const oneName = fc.constantFrom<Partial<Donor>>(
  { first_name: null, last_name: null, email: "m@b.org" },
  { first_name: null, last_name: "Mary", email: null },
  { first_name: "Mary", last_name: null, email: null }
)

const given = fc.tuple(details, fc.option(oneName, { freq: 2 })).map(([drawn, named]) => ({ ...drawn, ...named }))

/** Mostly in use: donors that are archived are not merged. */
const archival = fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: instant })

const isPerson = ({ donor_type }: Pick<Donor, "donor_type">): boolean => ["INDIVIDUAL", "UNKNOWN"].includes(donor_type)

/** Donors that have what their type needs. */
const states: fc.Arbitrary<Donor> = fc
  .tuple(arbitraryOf(Donor), identity, given, fc.nat(1_000), archival)
  .map(([donor, ids, given, profile_revision, archived_at]) => ({
    ...donor,
    ...ids,
    ...given,
    country: "AU",
    first_name: given.first_name ?? ((given.last_name ?? given.email) === null ? "Odile" : null),
    organisation_name: given.organisation_name ?? (isPerson(donor) ? null : "Odile & Co."),
    profile_revision,
    archived_at
  }))

/** Changes, of which some leave a donor without the name that it needs. */
const changes: fc.Arbitrary<Changes> = patchOf({
  ...names,
  donor_type: fc.constantFrom("INDIVIDUAL", "ORGANISATION"),
  phone: fc.constantFrom(null, "0400 000 000"),
  country: fc.constantFrom("AU", "NZ", ""),
  do_not_contact: fc.boolean(),
  marketing_consent_at: fc.option(instant)
})

/** INDIVIDUAL and UNKNOWN need one of first name, last name and e-mail; the others the organisation's name. */
const hasItsName = (donor: Donor): boolean =>
  donor.country.length > 0 &&
  (isPerson(donor)
    ? [donor.first_name, donor.last_name, donor.email].some((each) => each !== null)
    : donor.organisation_name !== null)

/** A merge fills what is empty, keeps an opt-out that either had, and carries no consent over one. */
const together = (survivor: Donor, duplicate: Donor): Partial<Donor> => {
  const both = new Map<string, unknown>([
    ...Object.entries(duplicate),
    ...Object.entries(survivor).filter(([, own]) => own !== null)
  ])
  const optedOut = [survivor, duplicate].some(({ do_not_contact }) => do_not_contact)
  return {
    ...Object.fromEntries(filled.map((field) => [field, both.get(field)])),
    do_not_contact: optedOut,
    marketing_consent_at: survivor.marketing_consent_at ?? (optedOut ? null : duplicate.marketing_consent_at)
  }
}

/** Donors, archived and not, for the laws. */
export const donors: Subject<Donor, Command> = subjectOf(machine, {
  states,
  commandFields: { changes, duplicate: states },
  // decisions, section 4: Donors.
  rows: `
    * → ACTIVE [donor.created]
    Change: ACTIVE → ACTIVE [donor.updated] ?; ...changes, profile_revision + 1
    Merge: ACTIVE → ACTIVE [donor.merged] ?; *, profile_revision + 1
    MergeInto: ACTIVE → ARCHIVED; archived_at = at, merged_into_donor_id = survivor, profile_revision + 1
    Archive: ACTIVE → ARCHIVED [donor.archived]; archived_at = at, profile_revision + 1
    [donor.created]: id, donor_type, email, first_name, last_name, organisation_name
    [donor.updated]: id, donor_type, email, first_name, last_name, organisation_name, *
    [donor.archived]: id, donor_type, email, first_name, last_name, organisation_name, archived_at
    [donor.merged]: id, donor_type, email, first_name, last_name, organisation_name, *`,
  when: {
    Change: (donor, { changes }) => hasItsName({ ...donor, ...changes }),
    Merge: (donor, { duplicate }) =>
      donor.id !== duplicate.id && donor.organisation_id === duplicate.organisation_id && duplicate.archived_at === null
  },
  data: {
    "donor.updated": (_, command) => ({
      changed_fields: command?._tag === "Change" ? Object.keys(command.changes) : null
    }),
    "donor.merged": (_, command) => ({ merged_donor_id: command?._tag === "Merge" ? command.duplicate.id : null })
  },
  changes: { Merge: (donor, { duplicate }) => together(donor, duplicate) },
  invariants: { "a donor has the name that its type needs": hasItsName },
  steps: {
    "every change revokes the personalised links": ({ after, before }) =>
      after.profile_revision > before.profile_revision,
    "nobody who opted out is opted in by a merge": ({ after, before, command }) =>
      command._tag !== "Merge" || after.do_not_contact || !(before.do_not_contact || command.duplicate.do_not_contact)
  }
})
