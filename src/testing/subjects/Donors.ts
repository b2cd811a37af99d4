import fc from "fast-check"
import { type Changes, type Command, Donor } from "../../domain/giving/Donor.ts"
import { DonorId, OrganisationId } from "../../domain/kernel/Ids.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { instant } from "./Month.ts"

/** Identities from a small range: a duplicate is often of the same organisation, and sometimes the donor itself. */
const identity = fc.record({
  id: fc.constantFrom(DonorId.make("dnr_01h00000000000000000000001"), DonorId.make("dnr_01h00000000000000000000002")),
  organisation_id: fc.constantFrom(
    OrganisationId.make("org_01h00000000000000000000001"),
    OrganisationId.make("org_01h00000000000000000000002")
  )
})

const name = fc.constantFrom(null, "Mary", "Valley Fund")

const names = { first_name: name, last_name: name, organisation_name: name, email: fc.constantFrom(null, "m@b.org") }

/** Donors that have what their type needs. */
const states: fc.Arbitrary<Donor> = fc
  .tuple(arbitraryOf(Donor), identity, fc.record(names), fc.nat(1_000), fc.option(instant))
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

/** Donors, archived and not, for the laws. */
export const donors: Subject<Donor, Command> = { schema: Donor, states, commands }
