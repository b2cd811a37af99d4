import { Schema, Struct } from "effect"
import { Donation, undeletedRule } from "../giving/Donation.ts"
import { dayOf } from "../kernel/CalendarDate.ts"
import * as Rule from "../kernel/Rule.ts"
import type { Reach } from "./Assessment.ts"
import type { CapPeriod } from "./Regime.ts"

const { every, is } = Rule.rulesOf<Donation>()

/** Gifts of a donor whose money may still come, whatever their codes. */
export const pendingRule = every(is("status", "PENDING"), undeletedRule)

/** A gift whose money may still come, with the jurisdiction that its revenue code is assigned to. */
export const PendingGift = Donation.mapFields((fields) => ({
  ...Struct.pick(fields, ["amount_cents", "currency", "payment_method"]),
  /** When it was submitted. */
  donation_date: fields.donation_date,
  jurisdiction: Schema.String
}))
export type PendingGift = typeof PendingGift.Type

/**
 * What gifts under way would add to what counts toward a cap, minor units. A bank transfer is dated by its arrival: it may
 * arrive on any day of the cap that is not over, so that it counts toward each.
 */
export const pendingCents = (
  gifts: ReadonlyArray<PendingGift>,
  { regime }: Reach,
  { within }: CapPeriod,
  timezone: string
): number =>
  gifts
    .filter(({ currency, donation_date, jurisdiction, payment_method }) => {
      if (currency !== regime.currency || jurisdiction !== regime.jurisdiction) return false
      const day = dayOf(donation_date, timezone)
      return payment_method === "bank_transfer"
        ? day <= within.ends_on
        : within.starts_on <= day && day <= within.ends_on
    })
    .reduce((sum, { amount_cents }) => sum + amount_cents, 0)
