import * as Donation from "../../../domain/giving/Donation.ts"
import * as Refund from "../../../domain/giving/Refund.ts"
import { DonationId } from "../../../domain/kernel/Ids.ts"
import { body, id, operationsOf, optionalBody, pageOf, query } from "../../access/steps/Operation.ts"
import { Donations } from "../Donations.ts"

const donations = operationsOf(Donations)

/** The operations of {@link Donations}. */
export const donationOperations = {
  record: donations.forCaller({
    name: "donations.create",
    takes: [body(Donation.NewDonation, Donation.DonationDetail)],
    gives: Donation.DonationRecord,
    run: (use, input) => use.record(input)
  }),
  read: donations.forCaller({
    name: "donations.read",
    takes: [id(DonationId, "donation")],
    gives: Donation.DonationDetail,
    run: (use, donation) => use.read(donation)
  }),
  list: donations.forCaller({
    name: "donations.list",
    takes: [query(Donation.listing)],
    gives: pageOf(Donation.DonationRecord),
    run: (use, asked) => use.list(asked)
  }),
  refund: donations.forCaller({
    name: "donations.refund",
    takes: [id(DonationId, "donation"), optionalBody(Refund.NewRefund, Donation.DonationDetail)],
    gives: Refund.RefundedDonation,
    run: (use, donation, input) => use.refund(donation, input)
  }),
  listRefunds: donations.forCaller({
    name: "donations.list_refunds",
    takes: [id(DonationId, "donation"), query(Refund.listing)],
    gives: pageOf(Refund.RefundRecord),
    run: (use, donation, asked) => use.listRefunds(donation, asked)
  })
}
