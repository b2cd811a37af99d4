import { Record, Schema, Struct } from "effect"
import { DonorId, OrganisationId } from "../kernel/Ids.ts"
import { Instant } from "../kernel/Timestamp.ts"

/** The texts of a donor with their meanings, in the order in which they are shown. */
export const texts = {
  first_name: "Given name.",
  last_name: "Family name.",
  organisation_name: "Name of an organisation or trust that gives.",
  email: "E-mail address.",
  phone: "Telephone number.",
  address_line1: "Street address.",
  address_line2: "Second line of the address.",
  suburb: "Suburb or town.",
  state: "State or territory.",
  postcode: "Postcode.",
  country: "Country, `AU` when not given.",
  employer_name: "Whom the donor works for.",
  occupation: "What the donor works as."
}

/** The meanings of a donor's fields. */
export const meanings = {
  donor_type: "What kind of donor this is.",
  ...texts,
  do_not_contact: "Whether the donor asked not to be contacted.",
  marketing_consent_at: "When the donor agreed to marketing; null when not.",
  merged_into_donor_id:
    "The donor that this one was merged into, to whom its gifts and its e-mail address lead; null when it was not. This field goes beyond the contract.",
  duplicate_donor_id: "The duplicate, which is merged into this donor, and archived."
}

/** Who a donor is. service-spec, Donor. */
export const DonorType = Schema.Literals(["INDIVIDUAL", "ORGANISATION", "TRUST", "UNKNOWN"]).annotate({
  identifier: "DonorType"
})
export type DonorType = typeof DonorType.Type

const nullableText = Schema.NullOr(Schema.String)

/** A person or organisation that gives. service-spec, Donor. */
export class Donor extends Schema.Opaque<Donor>()(
  Schema.Struct({
    id: DonorId,
    organisation_id: OrganisationId,
    donor_type: DonorType,
    ...Record.map(texts, () => nullableText),
    country: Schema.String,
    do_not_contact: Schema.Boolean,
    marketing_consent_at: Schema.NullOr(Instant),
    /** Raised by every change of the profile: personalised links of an older revision are revoked. */
    profile_revision: Schema.Int,
    created_at: Instant,
    updated_at: Instant,
    archived_at: Schema.NullOr(Instant),
    merged_into_donor_id: Schema.NullOr(DonorId)
  }).annotate({ identifier: "StoredDonor" })
) {}

/** Names of the details that a donor types for one gift. */
export const submittedFields = ["donor_type", ...Struct.keys(texts)] as const

/** The details that a donor typed for one gift: a snapshot that never overwrites the donor. decisions, section 4. */
export const SubmittedDonor = Donor.mapFields(Struct.pick(submittedFields))
  .mapFields((fields) => ({
    ...fields,
    donor_type: Schema.NullOr(fields.donor_type),
    country: Schema.NullOr(fields.country)
  }))
  .annotate({ identifier: "SubmittedDonor", meanings })
export type SubmittedDonor = typeof SubmittedDonor.Type

const core = {
  id: DonorId,
  donor_type: DonorType,
  email: nullableText,
  first_name: nullableText,
  last_name: nullableText,
  organisation_name: nullableText
}

/** The data of each donor event. service-spec, donor.created data; decisions, section 6. */
export const eventData = {
  created: Schema.Struct(core).annotate({ identifier: "DonorCreatedEventData" }),
  updated: Schema.Struct({
    ...core,
    changed_fields: Schema.Array(Schema.String).annotate({ description: "Names of the fields whose value changed" })
  }).annotate({ identifier: "DonorUpdatedEventData" }),
  archived: Schema.Struct({ ...core, archived_at: Instant }).annotate({ identifier: "DonorArchivedEventData" }),
  merged: Schema.Struct({
    ...core,
    merged_donor_id: DonorId.annotate({ description: "The duplicate, which is archived" })
  }).annotate({ identifier: "DonorMergedEventData" })
}

/** The six fields that every donor event carries. */
export const eventCore = (donor: Donor): (typeof eventData.created)["Type"] => ({
  id: donor.id,
  donor_type: donor.donor_type,
  email: donor.email,
  first_name: donor.first_name,
  last_name: donor.last_name,
  organisation_name: donor.organisation_name
})
