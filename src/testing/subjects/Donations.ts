import fc from "fast-check"
import * as Donation from "../../domain/giving/Donation.ts"
import * as Refund from "../../domain/giving/Refund.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import { instant as anyInstant } from "../Generators.ts"
import type { Subject } from "../Laws.ts"
import { instant } from "./Month.ts"

/** Donations with small amounts, so that parts, rests and excesses of a gift are all common. */
const donationStates: fc.Arbitrary<Donation.Donation> = fc
  .record({
    donation: arbitraryOf(Donation.Donation),
    payment_method: fc.constantFrom("card", "bank_transfer", "payto"),
    amount_cents: fc.integer({ min: 1, max: 4 }),
    refunded: fc.integer({ min: 0, max: 3 }),
    created_at: instant
  })
  .map(({ amount_cents, created_at, donation, payment_method, refunded }): Donation.Donation => {
    const part = donation.status === "CONFIRMED" ? refunded % amount_cents : 0
    const refunded_amount_cents = donation.status === "REFUNDED" ? amount_cents : part
    return { ...donation, payment_method, amount_cents, refunded_amount_cents, created_at }
  })

const donationCommands: fc.Arbitrary<Donation.Command> = fc
  .tuple(arbitraryOf(Donation.Command), instant, fc.integer({ min: 1, max: 4 }))
  .map(
    ([command, at, amount_cents]): Donation.Command =>
      "amount_cents" in command ? { ...command, at, amount_cents } : { ...command, at }
  )

/** Donations of every status, for the laws. */
export const donations: Subject<Donation.Donation, Donation.Command> = {
  schema: Donation.Donation,
  states: donationStates,
  commands: donationCommands
}

const refundStates: fc.Arbitrary<Refund.Refund> = fc
  .tuple(arbitraryOf(Refund.Refund), anyInstant)
  .map(([refund, at]) => ({ ...refund, refunded_at: refund.status === "SUCCEEDED" ? at : null }))

const refundCommands: fc.Arbitrary<Refund.Command> = fc
  .tuple(arbitraryOf(Refund.Command), anyInstant)
  .map(([command, at]): Refund.Command => ({ ...command, at }))

/** Refunds of every status, for the laws. */
export const refunds: Subject<Refund.Refund, Refund.Command> = {
  schema: Refund.Refund,
  states: refundStates,
  commands: refundCommands
}
