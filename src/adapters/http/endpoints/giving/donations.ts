import { Effect } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { uncheckedService } from "../../../../app/access/operation/ServiceChecks.ts"
import { Donations, donationOperations } from "../../../../app/giving/Donations.ts"
import type { OwnHandlersOf } from "../../pipeline/Handler.ts"
import { beyond, get, post } from "../Declare.ts"
import { idOf, instant, later, page } from "../Example.ts"
import { exampleDonor } from "./donors.ts"

const newDonation = {
  donor_id: exampleDonor.id,
  donation_type: "MONETARY",
  amount_cents: 5_000,
  donation_date: "2026-04-01",
  payment_method: "cheque",
  revenue_code: "SPRING-2026"
}

export const exampleDonation = {
  ...newDonation,
  id: idOf("donation"),
  source: "MANUAL",
  status: "CONFIRMED",
  refunded_amount_cents: 0,
  currency: "AUD",
  donation_date: "2026-03-31T13:00:00.000Z",
  revenue_code_id: idOf("revenueCode"),
  is_recurring: false,
  created_at: instant,
  updated_at: instant
}

const refund = {
  id: idOf("refund"),
  donation_id: exampleDonation.id,
  amount_cents: 2_000,
  reason: "Paid twice",
  status: "SUCCEEDED",
  refunded_at: later,
  created_at: later,
  updated_at: later
}

export class DonationsGroup extends HttpApiGroup.make("donations")
  .add(
    post(donationOperations.create, "create", "/donations", {
      status: 201,
      description:
        "Records a gift that was given offline, confirmed, in the organisation's currency. In-kind gifts carry their fair market value in amount_cents.",
      example: { request: newDonation, answer: exampleDonation }
    }),
    get(donationOperations.list, "list", "/donations", {
      description: "Newest first; only confirmed gifts unless status is given.",
      example: { answer: page(exampleDonation) }
    }),
    get(donationOperations.read, "read", "/donations/:id", {
      description: "With submitted_donor: the details that were typed for this gift, null when there were none.",
      example: { answer: exampleDonation }
    }),
    post(donationOperations.refund, "refund", "/donations/:id/refund", {
      description:
        "Refunds a part of a confirmed gift or, without amount_cents, all that is left, which makes it REFUNDED. A gift that was paid through a processor is refunded through it: its refund is PENDING until then. Any other is only recorded as refunded.",
      example: {
        request: { amount_cents: 2_000, reason: "Paid twice" },
        answer: { ...exampleDonation, refunded_amount_cents: 2_000, updated_at: later, refund }
      }
    }),
    get(donationOperations.listRefunds, "listRefunds", "/donations/:id/refunds", {
      description: `Its refund ledger, newest first, with refunds that are pending and that failed. refunded_amount_cents of the gift is the sum of the PENDING and SUCCEEDED ones. ${beyond}`,
      example: { answer: page(refund) }
    })
  )
  .annotate(OpenApi.Description, "Gifts of money and in kind, and the revenue codes that they are booked under.") {}

export const donationsHandlers = Effect.map(
  Effect.map(Donations, uncheckedService),
  (donations): OwnHandlersOf<typeof DonationsGroup> => ({
    create: { atOnce: ({ payload }, keyed) => donations.createKeyed(payload, keyed) }
  })
)
