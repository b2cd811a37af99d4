import { idOf, instant } from "../Samples.ts"
import { type Examples, later, page } from "./Example.ts"

const newDonor = { first_name: "Ada", last_name: "Okafor", email: "ada@example.org" }

export const donor = {
  id: idOf("donor"),
  donor_type: "INDIVIDUAL",
  ...newDonor,
  organisation_name: null,
  phone: null,
  address_line1: null,
  address_line2: null,
  suburb: null,
  state: null,
  postcode: null,
  country: "AU",
  employer_name: null,
  occupation: null,
  do_not_contact: false,
  marketing_consent_at: null,
  created_at: instant,
  updated_at: instant,
  archived_at: null
}

export const donorExamples = {
  "donors.create": { request: newDonor, answer: donor },
  "donors.list": {
    answer: {
      ...page(donor),
      filters: {
        search: "ada",
        email: null,
        donor_type: null,
        created_at: { gte: "2026-04-01" },
        segment: null,
        sort: "-created_at"
      }
    }
  },
  "donors.read": { answer: donor },
  "donors.update": {
    request: { phone: "+61 2 5550 0000" },
    answer: { ...donor, phone: "+61 2 5550 0000", updated_at: later }
  },
  "donors.merge": {
    request: { duplicate_donor_id: "dnr_01jqz6x8h4e5vb9m2k7ncw3t5e" },
    answer: { ...donor, phone: "+61 2 5550 0000", updated_at: later }
  },
  "donors.archive": { answer: { ...donor, archived_at: later, updated_at: later } }
} satisfies Examples
