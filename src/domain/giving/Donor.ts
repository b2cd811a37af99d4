import { type DateTime, Record, Schema, Struct } from "effect"
import { differingFields } from "../kernel/FieldDifference.ts"
import { clearable } from "../kernel/Fields.ts"
import { DonorId } from "../kernel/Ids.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { type Births, type Condition, define, type MachineType, requires } from "../kernel/Machine.ts"
import * as Refusals from "../kernel/Refusals.ts"
import { EmailOrBlank, emailKey, GivenId, Name, nameOrNull } from "../kernel/Text.ts"
import { Instant, Timestamp } from "../kernel/Timestamp.ts"
import { Donor, DonorType, eventCore, eventData, meanings, texts } from "./DonorFields.ts"
import { joinedNamesOf, soughtWordsOf, storedWordsOf } from "./SearchWords.ts"

export { Donor, DonorType, eventCore, eventData, SubmittedDonor, submittedFields } from "./DonorFields.ts"

/** A donor as the API shows it. */
export const DonorRecord = Donor.mapFields(Struct.omit(["organisation_id", "profile_revision"])).annotate({
  identifier: "Donor",
  meanings
})

const { country: _, ...nullable } = texts

const isTrimmed = (name: string): name is keyof typeof nullable => Object.hasOwn(nullable, name)

const trimmedFields = Object.keys(nullable).filter(isTrimmed)

const profile = {
  ...Record.map(nullable, () => clearable(Name)),
  email: clearable(EmailOrBlank),
  marketing_consent_at: clearable(Timestamp)
}

/** The body of POST /donors; `null` for an optional field equals absence. decisions, section 4: Donors. */
export const NewDonor = Schema.Struct({
  donor_type: clearable(DonorType),
  ...profile,
  country: clearable(Name),
  do_not_contact: clearable(Schema.Boolean)
}).annotate({ identifier: "NewDonor", meanings })
export type NewDonor = typeof NewDonor.Type

/** The body of PATCH /donors/{id}; an absent field stays, `null` clears a nullable one. */
export const DonorPatch = Schema.Struct({
  donor_type: Schema.optionalKey(DonorType),
  ...profile,
  country: Schema.optionalKey(Name),
  do_not_contact: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "DonorPatch", meanings })
export type DonorPatch = typeof DonorPatch.Type

/** The fields of a donor that a caller may write. */
export type Profile = Omit<
  Donor,
  "id" | "organisation_id" | "profile_revision" | "created_at" | "updated_at" | "archived_at" | "merged_into_donor_id"
>

/**
 * The profile of a new donor, trimmed and with defaults.
 * @example
 * const profile = Donor.profileOf({ first_name: " Mary ", phone: "" })
 * profile.first_name // => "Mary"
 * profile.phone // => null
 * profile.country // => "AU"
 */
export const profileOf = (input: NewDonor): Profile => ({
  donor_type: input.donor_type ?? "INDIVIDUAL",
  ...Record.map(nullable, (_, name) => nameOrNull(input[name])),
  country: nameOrNull(input.country) ?? (input.country === undefined || input.country === null ? "AU" : ""),
  do_not_contact: input.do_not_contact ?? false,
  marketing_consent_at: input.marketing_consent_at ?? null
})

/**
 * The field that a profile lacks, if any: people need a name or an e-mail address, organisations and trusts their name,
 * and everybody a country. decisions, section 4: Donors.
 * @example
 * Donor.missingField(Donor.profileOf({ email: "kim@example.org" })) // => null
 * Donor.missingField(Donor.profileOf({ donor_type: "TRUST", first_name: "Mary" })) // => "organisation_name"
 */
export const missingField = (donor: Profile): "first_name" | "organisation_name" | "country" | null => {
  if (donor.country === "") return "country"
  if (donor.donor_type === "ORGANISATION" || donor.donor_type === "TRUST") {
    return donor.organisation_name === null ? "organisation_name" : null
  }
  return donor.first_name === null && donor.last_name === null && donor.email === null ? "first_name" : null
}

const changesSchema = Schema.Struct(
  Struct.pick(Donor.fields, ["donor_type", ...trimmedFields, "country", "do_not_contact", "marketing_consent_at"])
).mapFields(Struct.map(Schema.optionalKey))
/** The fields that a change of a donor sets. */
export type Changes = typeof changesSchema.Type

/**
 * The fields of a donor that a patch changes, in one order whichever store the donor is from; empty when it changes nothing.
 */
export const changesOf = (donor: Donor, patch: DonorPatch): Changes => {
  const trimmed = Object.fromEntries(
    trimmedFields.filter((field) => field in patch).map((field) => [field, nameOrNull(patch[field])])
  )
  const country = patch.country === undefined ? donor.country : patch.country.trim()
  return differingFields(Struct.keys(changesSchema.fields), donor, { ...patch, ...trimmed, country })
}

/** The body of POST /donors/{id}/merge. decisions, section 3. */
export const DonorMerge = Schema.Struct({
  duplicate_donor_id: GivenId
}).annotate({ identifier: "DonorMerge", meanings })
export type DonorMerge = typeof DonorMerge.Type

/** Fields that every change of a donor writes. The higher revision revokes its personalised links. */
const revised = ({ profile_revision }: Donor, at: DateTime.Utc) => ({
  updated_at: at,
  profile_revision: profile_revision + 1
})

const taken = (survivor: Donor, duplicate: Donor, at: DateTime.Utc): Partial<Donor> => {
  const filled = Object.fromEntries(trimmedFields.map((field) => [field, survivor[field] ?? duplicate[field]]))
  const do_not_contact = survivor.do_not_contact || duplicate.do_not_contact
  const carried = do_not_contact ? null : duplicate.marketing_consent_at
  const marketing_consent_at = survivor.marketing_consent_at ?? carried
  return { ...filled, do_not_contact, marketing_consent_at, ...revised(survivor, at) }
}

/**
 * Both donors after a merge: the survivor with each of its empty fields filled from the duplicate, and the duplicate
 * archived. If either had opted out of contact, the survivor has, and the duplicate's consent to marketing is not
 * carried over. Both profile revisions rise, which revokes the personalised links of both. decisions, section 4:
 * Donors.
 */
export const mergeDonors = (
  survivor: Donor,
  duplicate: Donor,
  at: DateTime.Utc
): { readonly survivor: Donor; readonly duplicate: Donor } => ({
  survivor: { ...survivor, ...taken(survivor, duplicate, at) },
  duplicate: { ...duplicate, archived_at: at, merged_into_donor_id: survivor.id, ...revised(duplicate, at) }
})

/** The commands of the machine of a donor. */
export const Command = Schema.TaggedUnion({
  Change: { at: Instant, changes: changesSchema },
  /** This donor survives a merge: it takes over what belongs to the duplicate. */
  Merge: { at: Instant, duplicate: Donor },
  /** This donor is the duplicate of a merge. */
  MergeInto: { at: Instant, survivor: DonorId },
  Archive: { at: Instant }
})
export type Command = typeof Command.Type
/** The states of a donor. */
export type Status = "ACTIVE" | "ARCHIVED"

const named: Condition<Donor, { readonly changes: Changes }> = [
  "the changed donor has what a donor of its type needs",
  (self, { changes }) => missingField({ ...self, ...changes }) === null
]
type Merging = Condition<Donor, { readonly duplicate: Donor }>

const another: Merging = [
  "the duplicate is another donor of the organisation",
  (self, { duplicate }) => duplicate.organisation_id === self.organisation_id && duplicate.id !== self.id
]
const unarchived: Merging = ["the duplicate is not archived", (_, { duplicate }) => duplicate.archived_at === null]

const rule = "decisions, section 4: Donors"

const emitsNo = (type: string, command: Command | null): RangeError =>
  new RangeError(`${command?._tag ?? "The birth"} of a donor emits no ${type}`)
const events = {
  "donor.created": { data: eventData.created, of: eventCore },
  "donor.updated": {
    data: eventData.updated,
    of: (donor: Donor, command: Command | null) => {
      if (command?._tag !== "Change") throw emitsNo("donor.updated", command)
      return { ...eventCore(donor), changed_fields: Object.keys(command.changes) }
    }
  },
  "donor.archived": {
    data: eventData.archived,
    of: (donor: Donor, command: Command | null) => {
      if (donor.archived_at === null) throw emitsNo("donor.archived", command)
      return { ...eventCore(donor), archived_at: donor.archived_at }
    }
  },
  "donor.merged": {
    data: eventData.merged,
    of: (donor: Donor, command: Command | null) => {
      if (command?._tag !== "Merge") throw emitsNo("donor.merged", command)
      return { ...eventCore(donor), merged_donor_id: command.duplicate.id }
    }
  }
}
/** The types of events of a donor. */
export type DonorEvent = keyof typeof events
/** How donors come to be. */
export const births = {
  recorded: { by: "POST /donors", to: "ACTIVE", emits: ["donor.created"], rule }
} as const satisfies Births<Status, DonorEvent>

const defined = define({
  name: "Donor",
  state: Donor,
  command: Command,
  events,
  wording: Refusals.donor,
  statuses: ["ACTIVE", "ARCHIVED"],
  rule,
  births,
  table: {
    Change: {
      from: ["ACTIVE"],
      to: "ACTIVE",
      emits: ["donor.updated"],
      ...requires(named),
      patch: (self, { at, changes }) => ({ ...changes, ...revised(self, at) })
    },
    Merge: {
      from: ["ACTIVE"],
      to: "ACTIVE",
      emits: ["donor.merged"],
      ...requires(another, unarchived),
      patch: (self, { at, duplicate }) => taken(self, duplicate, at)
    },
    MergeInto: {
      from: ["ACTIVE"],
      to: "ARCHIVED",
      patch: (self, { at, survivor }) => ({ archived_at: at, merged_into_donor_id: survivor, ...revised(self, at) })
    },
    Archive: {
      from: ["ACTIVE"],
      to: "ARCHIVED",
      emits: ["donor.archived"],
      patch: (self, { at }) => ({ archived_at: at, ...revised(self, at) })
    }
  },
  statusOf: (donor) => (donor.archived_at === null ? "ACTIVE" : "ARCHIVED"),
  milestones: { archived_at: ["ARCHIVED"] }
})

export interface machine extends MachineType<typeof defined> {}
/** decisions, section 4: Donors. */
export const machine: machine = defined

/** The fields of a donor that a search looks through: the names and the e-mail address. decisions, section 4: Donors. */
export type SearchFields = Pick<Donor, "first_name" | "last_name" | "organisation_name" | "email">

/**
 * The words that a donor is found by.
 * @example
 * Donor.wordsOf({ first_name: "Zoë", last_name: "O'Brien", organisation_name: null, email: null })
 * // => ["brien", "obrien", "zoe"]
 */
export const wordsOf = (donor: SearchFields): ReadonlyArray<string> =>
  storedWordsOf([
    ...[donor.first_name, donor.last_name, donor.organisation_name, donor.email].filter((each) => each !== null),
    ...joinedNamesOf(donor.first_name ?? "", donor.last_name ?? "")
  ])

/**
 * The name to show for a donor: for organisations and trusts their name, else the person's, with the other one or the
 * e-mail address where that is missing.
 * @example
 * const names = { first_name: "Mary", last_name: "Lee", organisation_name: "Sea Trust", email: null }
 * Donor.donorNameOf({ ...names, donor_type: "TRUST" }) // => "Sea Trust"
 * Donor.donorNameOf({ ...names, donor_type: "INDIVIDUAL" }) // => "Mary Lee"
 */
export const donorNameOf = (donor: SearchFields & Pick<Donor, "donor_type">): string => {
  const person = [donor.first_name, donor.last_name].filter((part) => part !== null).join(" ")
  const names =
    donor.donor_type === "ORGANISATION" || donor.donor_type === "TRUST"
      ? [donor.organisation_name, person]
      : [person, donor.organisation_name]
  return [...names, donor.email].find((each) => each !== null && each !== "") ?? "Unnamed donor"
}

/** Sorts after every name: donors without a last name come last. */
const noName = "\u{10ffff}"

/** Columns that are computed from a donor for searching, filtering and sorting. */
export const derivedColumns = (donor: Donor) => ({
  email_key: donor.email === null ? null : emailKey(donor.email),
  last_name_key: donor.last_name?.normalize("NFKC").toLowerCase() ?? noName,
  words: wordsOf(donor)
})

/** The list of donors. decisions, section 4: Donors. */
export const listing = {
  filters: {
    email: {
      kind: "text",
      column: "email_key",
      fold: emailKey,
      description: "E-mail address, whatever its case and spelling"
    },
    donor_type: { kind: "enum", values: DonorType.literals, description: "Type of donor" },
    created_at: { kind: "timestamp", description: "When the donor was recorded" },
    updated_at: { kind: "timestamp", description: "When the donor was changed last" }
  },
  sorts: { created_at: "created_at", updated_at: "updated_at", last_name: "last_name_key" },
  archivable: true,
  words: soughtWordsOf,
  segments: true
} as const satisfies ListSpec
