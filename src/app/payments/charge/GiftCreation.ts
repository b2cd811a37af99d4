import { type DateTime, Effect, Option, Schema } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { differsFromRecord } from "../../../domain/giving/CheckoutDonor.ts"
import * as Donation from "../../../domain/giving/Donation.ts"
import type { Donor } from "../../../domain/giving/Donor.ts"
import { dayOf } from "../../../domain/kernel/CalendarDate.ts"
import { type MandateId, RevenueCodeId } from "../../../domain/kernel/Ids.ts"
import { birth } from "../../../domain/kernel/Machine.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { ChangeLog } from "../../access/change/ChangeLog.ts"
import type { PaymentAccount } from "../account/PaymentAccounts.ts"
import { makeChargeCreation, type PaymentMeans } from "./ChargeCreation.ts"

const readRevenueCode = Schema.decodeUnknownOption(RevenueCodeId)

/** The fields of a gift that its page sets. */
type Attributed = Pick<
  Donation.Donation,
  | "id"
  | "source"
  | "donation_form_id"
  | "checkout_link_id"
  | "campaign_id"
  | "submitted_donor"
  | "consent_given"
  | "consent_responses"
> &
  Partial<Pick<Donation.Donation, "subscription_id" | "is_recurring">>

/** A gift to be written, whose donor is locked. */
export interface GiftInput {
  readonly operation: string
  readonly organisation: Organisation
  readonly taking: PaymentAccount
  readonly paying: PaymentMeans
  readonly donor: Donor
  readonly gift: Attributed
  /** The mandate that its charge saves; null where it is given once. */
  readonly mandate_id?: MandateId | null
  /** Whatever the gift is booked under. */
  readonly booked: { readonly revenue_code: string | null; readonly revenue_code_id: string | null }
  readonly at: DateTime.Utc
}

/** Writes a gift and its charge with the gift's events, in the surrounding transaction. money, section 4: Order. */
export const makeGiftCreation = Effect.gen(function* () {
  const donations = yield* DonationStore
  const changeLog = yield* ChangeLog
  const newCharge = yield* makeChargeCreation
  const tokens = yield* Tokens

  return Effect.fnUntraced(function* (given: GiftInput) {
    const { at, booked, donor, gift, mandate_id = null, operation, organisation, paying, taking } = given
    const charge_id = yield* tokens.id("charge")
    const born = birth(
      Donation.machine,
      Donation.births.submitted,
      (status): Donation.Donation =>
        Donation.bare({
          ...gift,
          organisation_id: organisation.id,
          donor_id: donor.id,
          status,
          amount_cents: paying.amount_cents,
          currency: paying.currency,
          donation_date: at,
          donation_day: dayOf(at, organisation.timezone),
          payment_method: paying.method,
          revenue_code: booked.revenue_code,
          revenue_code_id: Option.getOrNull(readRevenueCode(booked.revenue_code_id)),
          differs_from_record: differsFromRecord(gift.submitted_donor, donor),
          charge_id,
          created_at: at,
          updated_at: at
        })
    )
    const subject_id = gift.id
    const charge = yield* newCharge({
      id: charge_id,
      organisation,
      taking,
      paying,
      purpose: "donation",
      subject_id,
      mandate_id,
      at
    })
    yield* donations.insert(born.state)
    yield* changeLog.write({ operation, subject_id, at, events: born.events })
    return charge
  })
})
