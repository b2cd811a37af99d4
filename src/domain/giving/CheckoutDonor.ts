import { Record, Struct } from "effect"
import { InvalidInput } from "../kernel/Rejection.ts"
import { emailKey, nameOrNull } from "../kernel/Text.ts"
import * as Donor from "./Donor.ts"
import type { Settings } from "./FormSettings.ts"

/** The details of themselves that donors type on a page. An empty text is the same as none. */
export const TypedDonor = Donor.NewDonor.mapFields(Struct.pick(Donor.submittedFields)).annotate({
  identifier: "TypedDonor"
})
export type TypedDonor = typeof TypedDonor.Type

const { donor_type: _, ...texts } = Donor.SubmittedDonor.fields

/** The details, trimmed, with null where nothing was typed. */
const trimmed = (typed: TypedDonor): Donor.SubmittedDonor => ({
  donor_type: typed.donor_type ?? null,
  ...Record.map(texts, (_, field) => nameOrNull(typed[field]))
})

/**
 * The details as a gift keeps them: null where nothing at all was typed. decisions, section 4: Donations.
 * @example
 * CheckoutDonor.submittedOf({ first_name: "  " }) // => null
 * CheckoutDonor.submittedOf({ first_name: " Mary " })?.first_name // => "Mary"
 */
export const submittedOf = (typed: TypedDonor): Donor.SubmittedDonor | null => {
  const submitted = trimmed(typed)
  return Object.values(submitted).some((value) => value !== null) ? submitted : null
}

const details = Struct.keys(Donor.SubmittedDonor.fields)

const same = (field: (typeof details)[number], typed: string, recorded: string | null): boolean => {
  if (recorded === null) return false
  return field === "email" ? emailKey(typed) === emailKey(recorded) : typed.trim() === recorded.trim()
}

/**
 * Whether what was typed for a gift differs from the donor's record: over the fields that were typed, trimmed, e-mail
 * addresses by their key. Null where nothing was typed. money, section 4: Donor.
 */
export const differsFromRecord = (submitted: Donor.SubmittedDonor | null, donor: Donor.Donor): boolean | null => {
  if (submitted === null) return null
  const typed = details.flatMap((field) => {
    const text = submitted[field]
    return text === null ? [] : [{ field, text }]
  })
  return typed.length === 0 ? null : typed.some(({ field, text }) => !same(field, text, donor[field]))
}

/** The country of addresses that name none. */
const isAustralian = (country: string | null): boolean =>
  country === null || ["au", "aus", "australia"].includes(country.toLowerCase())

type Detail = (typeof details)[number]

const addressOf = ({ country }: Donor.SubmittedDonor): ReadonlyArray<Detail> =>
  isAustralian(country) ? ["address_line1", "suburb", "state", "postcode"] : ["address_line1", "suburb"]

const words: { readonly [D in Detail]?: string } = {
  email: "an e-mail address",
  phone: "a telephone number",
  address_line1: "a street address",
  suburb: "a suburb or town",
  state: "a state or territory",
  postcode: "a postcode"
}

/**
 * The refusal of a submission on a form that lacks a detail of the donor; null where it has all. An e-mail address is always
 * needed, for it says who the donor is. An address abroad may have neither state nor postcode. `param` is the detail's path
 * under `donor`.
 * @example
 * const asked = { address_visibility: "NONE", phone_visibility: "REQUIRED" } as const
 * CheckoutDonor.missingDetail({ email: "kim@example.org" }, asked)?.param // => "donor.phone"
 */
export const missingDetail = (
  typed: TypedDonor,
  { address_visibility, phone_visibility }: Pick<Settings, "address_visibility" | "phone_visibility">
): InvalidInput | null => {
  const submitted = trimmed(typed)
  const needed: ReadonlyArray<Detail> = [
    "email",
    ...(phone_visibility === "REQUIRED" ? (["phone"] as const) : []),
    ...(address_visibility === "REQUIRED" ? addressOf(submitted) : [])
  ]
  const missing = needed.find((field) => submitted[field] === null)
  if (missing === undefined) return null
  const message = `This page needs ${words[missing] ?? missing} of the donor: give donor.${missing}.`
  return new InvalidInput({ param: `donor.${missing}`, message })
}

/**
 * The refusal of details that make no donor, such as an organisation without its name; null where they make one.
 * @example
 * const profile = Donor.profileOf({ donor_type: "TRUST", email: "kim@example.org" })
 * CheckoutDonor.incomplete(profile)?.param // => "donor.organisation_name"
 */
export const incomplete = (profile: Donor.Profile): InvalidInput | null => {
  const missing = Donor.missingField(profile)
  if (missing === null) return null
  const message = `A donor of type ${profile.donor_type} needs ${missing}: give donor.${missing}.`
  return new InvalidInput({ param: `donor.${missing}`, message })
}
