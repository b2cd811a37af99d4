import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Donor, meanings, SubmittedDonor } from "../../../src/domain/giving/DonorFields.ts"

describe("the details that a donor types for one gift", () => {
  const typed = {
    donor_type: "INDIVIDUAL" as const,
    first_name: "Ada",
    last_name: "Lovelace",
    organisation_name: "Analytical Trust",
    email: "ada@example.org",
    phone: "0400 000 000",
    address_line1: "1 Engine Street",
    address_line2: "Floor 2",
    suburb: "Fitzroy",
    state: "VIC",
    postcode: "3065",
    country: "AU",
    employer_name: "Example Pty Ltd",
    occupation: "Mathematician"
  }

  it("are all kept, and nothing of the record", () => {
    assert.deepStrictEqual(Schema.decodeUnknownSync(SubmittedDonor)({ ...typed, do_not_contact: true }), typed)
    assert.sameMembers(Object.keys(SubmittedDonor.fields), Object.keys(typed))
  })

  it("may each be left empty", () => {
    for (const field of Object.keys(typed)) assert.isTrue(Schema.is(SubmittedDonor)({ ...typed, [field]: null }), field)
  })

  it("have each a meaning for whoever reads the reference, as has all else of a donor that is its own", () => {
    const shared = ["id", "organisation_id", "profile_revision", "created_at", "updated_at", "archived_at"]
    for (const field of Object.keys(Donor.fields).filter((each) => !shared.includes(each))) {
      assert.match(Object.entries(meanings).find(([name]) => name === field)?.[1] ?? "", /^[A-Z].*\.$/s, field)
    }
  })
})
