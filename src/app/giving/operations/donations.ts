import * as Donation from "../../../domain/giving/Donation.ts"
import * as Refund from "../../../domain/giving/Refund.ts"
import { DonationId } from "../../../domain/kernel/Ids.ts"
import { body, id, operationsOf, optionalBody, pageOf, query } from "../../access/steps/Operation.ts"
import { asks, Donations } from "../Donations.ts"

const donations = operationsOf(Donations)

/** The operations of {@link Donations}. */
export const donationOperations = {
  record: donations.forCaller({
    asks: asks.record,
    keyed: true,
    takes: [body(Donation.NewDonation, Donation.DonationDetail)],
    gives: Donation.DonationRecord,
    run: (use, input) => use.record(input)
  }),
  read: donations.forCaller({
    asks: asks.read,
    takes: [id(DonationId, "donation")],
    gives: Donation.DonationDetail,
    run: (use, donation) => use.read(donation)
  }),
  list: donations.forCaller({
    asks: asks.list,
    takes: [query(Donation.listing)],
    gives: pageOf(Donation.DonationRecord),
    run: (use, asked) => use.list(asked)
  }),
  refund: donations.forCaller({
    asks: asks.refund,
    keyed: true,
    takes: [id(DonationId, "donation"), optionalBody(Refund.NewRefund, Donation.DonationDetail)],
    gives: Refund.RefundedDonation,
    run: (use, donation, input) => use.refund(donation, input)
  }),
  listRefunds: donations.forCaller({
    asks: asks.listRefunds,
    takes: [id(DonationId, "donation"), query(Refund.listing)],
    gives: pageOf(Refund.RefundRecord),
    run: (use, donation, asked) => use.listRefunds(donation, asked)
  })
}
