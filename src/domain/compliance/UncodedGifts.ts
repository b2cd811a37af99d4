import { Schema } from "effect"
import { Namespace } from "../giving/RevenueCode.ts"
import { CalendarDate } from "../kernel/CalendarDate.ts"
import { DonationId, RevenueCodeId } from "../kernel/Ids.ts"
import { Cents, Currency } from "../kernel/Money.ts"

/** Gifts of one code, or of none, that are assigned to no jurisdiction, and what they come to; amounts in minor units. */
export const UncodedSum = Schema.Struct({
  revenue_code_id: Schema.NullOr(RevenueCodeId),
  code: Schema.NullOr(Schema.String),
  namespace: Schema.NullOr(Namespace),
  is_by_default: Schema.Boolean,
  gifts: Schema.Int,
  donors: Schema.Int,
  sum_cents: Cents,
  crossing_donors: Schema.Int,
  over_donors: Schema.Int,
  donation_ids: Schema.Array(DonationId)
})
export type UncodedSum = typeof UncodedSum.Type

/** The same of a period of a jurisdiction, whose law they would count by. law, section 3. */
export const UncodedGifts = Schema.Struct({
  jurisdiction: Schema.String,
  period: Schema.String,
  starts_on: CalendarDate,
  ends_on: CalendarDate,
  currency: Currency,
  ...UncodedSum.fields
}).annotate({
  identifier: "UncodedGifts",
  meanings: {
    jurisdiction: "Where the law holds, such as AU.",
    period: "Name of the period, such as 2025-26 or 2027.",
    starts_on: "First day of the period.",
    ends_on: "Last day of the period.",
    currency: "The currency of the law, in which alone gifts count.",
    revenue_code_id: "The code that the gifts have, which is assigned to no jurisdiction; null for gifts without one.",
    code: "Its text.",
    namespace: "System that the code belongs to.",
    is_by_default: "Whether they came by recommendation sets, and count by a default code.",
    gifts: "How many gifts they are.",
    donors: "How many donors gave them.",
    sum_cents: "What they come to, in kind included, less what went back.",
    crossing_donors: "Donors who would cross the threshold if these gifts counted: each would have a disclosure.",
    over_donors: "Donors over the threshold without them, whose disclosures would say more.",
    donation_ids: "The gifts, the largest ones first, and only those where there are very many."
  }
})
export type UncodedGifts = typeof UncodedGifts.Type
