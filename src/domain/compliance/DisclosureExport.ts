import { DateTime, Schema } from "effect"
import { Donation } from "../giving/Donation.ts"
import { Donor, donorNameOf } from "../giving/Donor.ts"
import { inZone } from "../kernel/CalendarDate.ts"
import { lineOf } from "../payments/Csv.ts"
import { minorDigitsOf } from "../payments/Statement.ts"
import type { Disclosure } from "./Disclosure.ts"
import type { Duty } from "./Duty.ts"

/** What a donor is called by. */
export const NamedDonor = Schema.Struct({
  id: Donor.fields.id,
  donor_type: Donor.fields.donor_type,
  first_name: Donor.fields.first_name,
  last_name: Donor.fields.last_name,
  organisation_name: Donor.fields.organisation_name,
  email: Donor.fields.email
})
export type NamedDonor = typeof NamedDonor.Type

/** A gift as a line of an export names it. */
export const NamedGift = Schema.Struct({
  id: Donation.fields.id,
  donation_day: Donation.fields.donation_day,
  amount_cents: Donation.fields.amount_cents,
  refunded_amount_cents: Donation.fields.refunded_amount_cents,
  currency: Donation.fields.currency
})
export type NamedGift = typeof NamedGift.Type

/** A disclosure with its donor and the gifts that its duties name. */
export interface ExportedDisclosure {
  readonly disclosure: Disclosure
  readonly donor: NamedDonor | undefined
  readonly gifts: ReadonlyMap<string, NamedGift>
}

/** Minor units as an exact amount of a currency. */
const amountText = (cents: number, currency: string): string => {
  const digits = minorDigitsOf(currency)
  const text = String(cents).padStart(digits + 1, "0")
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

interface Line extends ExportedDisclosure {
  readonly gift: NamedGift | undefined
  readonly localOf: (at: DateTime.Utc) => string
}

type Cell = (duty: Duty, of: Line) => string

const ownAmount =
  (field: "threshold_cents" | "total_cents" | "in_kind_cents"): Cell =>
  (_, { disclosure }) =>
    amountText(disclosure[field], disclosure.regime.currency)

const giftAmount =
  (field: "amount_cents" | "refunded_amount_cents"): Cell =>
  (_, { gift }) =>
    gift === undefined ? "" : amountText(gift[field], gift.currency)

/** The columns of an export, in their order. */
const columns: { readonly [name: string]: Cell } = {
  disclosure_id: (_, { disclosure }) => disclosure.id,
  status: (_, { disclosure }) => disclosure.status,
  donor_id: (_, { disclosure }) => disclosure.donor_id,
  donor_name: (_, { donor }) => (donor === undefined ? "" : donorNameOf(donor)),
  jurisdiction: (_, { disclosure }) => disclosure.jurisdiction,
  period: (_, { disclosure }) => disclosure.period,
  currency: (_, { disclosure }) => disclosure.regime.currency,
  threshold: ownAmount("threshold_cents"),
  total: ownAmount("total_cents"),
  in_kind: ownAmount("in_kind_cents"),
  duty: ({ number }) => String(number),
  kind: ({ kind }) => kind,
  gift_id: ({ donation_id }) => donation_id ?? "",
  gift_day: (_, { gift }) => gift?.donation_day ?? "",
  gift_currency: (_, { gift }) => gift?.currency ?? "",
  gift_amount: giftAmount("amount_cents"),
  gift_refunded: giftAmount("refunded_amount_cents"),
  due_at: ({ due_at }, { localOf }) => (due_at === null ? "" : localOf(due_at)),
  lodged_on: ({ lodged_on }) => lodged_on ?? "",
  reference: ({ reference }) => reference ?? "",
  end: ({ end }) => end ?? ""
}

/** The first line of an export: the names of its columns. */
export const headLine = lineOf(Object.keys(columns))

/** Moments as the calendar of a timezone has them. Many duties are due at the same one, and an offset is dear to find. */
const localTexts = (timezone: string) => {
  const known = new Map<number, string>()
  return (at: DateTime.Utc): string => {
    const text = known.get(at.epochMilliseconds) ?? DateTime.formatIsoOffset(inZone(at, timezone))
    known.set(at.epochMilliseconds, text)
    return text
  }
}

/** The lines of disclosures in an export: one for each of their duties, in the order of their numbers. law, section 5. */
export const linesOf = (exported: ReadonlyArray<ExportedDisclosure>, timezone: string): string => {
  const localOf = localTexts(timezone)
  const cells = Object.values(columns)
  return exported
    .flatMap((each) =>
      each.disclosure.duties
        .toSorted((a, b) => a.number - b.number)
        .map((duty) => {
          const gift = each.gifts.get(duty.donation_id ?? "")
          return lineOf(cells.map((cell) => cell(duty, { ...each, gift, localOf })))
        })
    )
    .join("")
}
