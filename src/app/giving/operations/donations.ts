import * as Donation from "../../../domain/giving/Donation.ts"
import * as Refund from "../../../domain/giving/Refund.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, Donations, takes } from "../Donations.ts"

const donations = operationsOf(Donations)

/** The operations of {@link Donations}. */
export const donationOperations = {
  create: donations.forCaller({
    asks: asks.create,
    keyed: true,
    takes: takes.create,
    gives: Donation.DonationRecord,
    run: (use, input) => use.create(input)
  }),
  read: donations.forCaller({
    asks: asks.read,
    takes: takes.read,
    gives: Donation.DonationDetail,
    run: (use, donation) => use.read(donation)
  }),
  list: donations.forCaller({
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(Donation.DonationRecord),
    run: (use, asked) => use.list(asked)
  }),
  refund: donations.forCaller({
    asks: asks.refund,
    keyed: true,
    takes: takes.refund,
    gives: Refund.RefundedDonation,
    run: (use, donation, input) => use.refund(donation, input)
  }),
  listRefunds: donations.forCaller({
    asks: asks.listRefunds,
    takes: takes.listRefunds,
    gives: pageOf(Refund.RefundRecord),
    run: (use, donation, asked) => use.listRefunds(donation, asked)
  })
}
