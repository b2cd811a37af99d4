import { HttpApiGroup, OpenApi } from "effect/http-api"
import { paymentOperations } from "../../../../app/sharing/Payments.ts"
import { personalisedLinkOperations } from "../../../../app/sharing/PersonalisedLinks.ts"
import { recommendationSetOperations } from "../../../../app/sharing/RecommendationSets.ts"
import { Limits } from "../../../../domain/kernel/Limits.ts"
import { beyond, del, get, patch, post } from "../Declare.ts"
import { idOf, instant, later, page } from "../Example.ts"
import { exampleDonor } from "../giving/donors.ts"

const link = idOf("recipientAccountLink")

const newSet = {
  name: "Winter shelter partners",
  allocations: [{ recipient_org_account_link_id: link, amount_cents: 5_000 }],
  amount_mode: "SUGGESTED",
  min_total_cents: 1_000
}

const set = {
  id: idOf("recommendationSet"),
  name: newSet.name,
  slug: "winter-shelter-partners",
  is_active: true,
  amount_mode: newSet.amount_mode,
  min_total_cents: newSet.min_total_cents,
  total_amount_cents: 5_000,
  allocation_count: 1,
  created_at: instant
}

const urlKey = "EXAMPLEexample0123456789"
const noPayments = { referred_cents: 0, referred_count: 0, in_flight_cents: 0, in_flight_count: 0 }

const detail = {
  ...set,
  url_key: urlKey,
  giving_url: `https://riverside.example.org/g/${urlKey}`,
  payment_summary: { referred_cents: 6_000, referred_count: 1, in_flight_cents: 0, in_flight_count: 0 },
  allocations: [
    {
      id: idOf("allocation"),
      amount_cents: 5_000,
      recipient_org_account_link_id: link,
      link_label: "Harbour Food Bank",
      recipient_org_name: "Harbour Food Bank"
    }
  ]
}

const payment = {
  id: idOf("payment"),
  recommendation_set_id: set.id,
  donor_id: exampleDonor.id,
  payment_status: "SUCCEEDED",
  distribution_status: "SUCCEEDED",
  total_amount_cents: 6_000,
  payment_method_type: "card",
  created_at: later,
  allocations: [
    {
      id: idOf("paymentAllocation"),
      recipient_org_account_link_id: link,
      gross_amount_cents: 6_000,
      net_amount_cents: 5_800,
      transfer_status: "succeeded",
      donation_id: idOf("donation")
    }
  ]
}

const collection = "/recommendation-sets"
const one = "/recommendation-sets/:id"

export class RecommendationSetsGroup extends HttpApiGroup.make("recommendation-sets")
  .add(
    post(recommendationSetOperations.create, "create", collection, {
      status: 201,
      description: `Each allocation names an active linked recipient account, once; donors see them in this order. Amounts are in the organisation's default currency: at least 1 in a set that is FIXED or SUGGESTED, 0 in one that is OPEN.

A link that is unknown, another organisation's or inactive is \`invalid_request\`, and nothing is written. There are at most ${Limits.setAllocations} allocations.`,
      example: { request: newSet, answer: { ...detail, payment_summary: noPayments } }
    }),
    get(recommendationSetOperations.list, "list", collection, {
      description: "Newest first. Deactivated and expired sets stay listed.",
      example: { answer: page(set) }
    }),
    get(recommendationSetOperations.read, "read", one, {
      description: "With its allocations, its donor-facing address and totals over all of its payments.",
      example: { answer: detail }
    }),
    patch(recommendationSetOperations.update, "update", one, {
      description:
        "An absent field stays; null clears it. Allocations are replaced whole and get new ids; payments that were made keep theirs. is_active switches a set off, and a deactivated one on again.",
      example: { request: { min_total_cents: null }, answer: { ...detail, min_total_cents: null } }
    }),
    del(recommendationSetOperations.archive, "archive", one, {
      description: "Nothing is erased. A repetition answers the same record and emits the event again.",
      example: { answer: { ...detail, is_active: false, archived_at: later } }
    }),
    post(recommendationSetOperations.deactivate, "deactivate", "/recommendation-sets/:id/deactivate", {
      description: "It takes no payment. On every plan; a repetition answers the same record and emits nothing.",
      example: { answer: { ...detail, is_active: false } }
    }),
    get(recommendationSetOperations.listPayments, "listPayments", "/recommendation-sets/:id/payments", {
      description:
        "Newest first, each with its distribution to the recipients. distribution_status means something once payment_status is SUCCEEDED.",
      example: { answer: page(payment) }
    }),
    post(personalisedLinkOperations.mintForSet, "mintLink", "/recommendation-sets/:id/personalised-links", {
      status: 201,
      description: `The link is good for ${Limits.personalisedLinkDays} days and any number of visits, until the donor is archived, merged or edited. The address is a live credential: give it to this donor alone.`,
      example: {
        request: { donor_id: exampleDonor.id },
        answer: {
          url: `${detail.giving_url}?dt=v1.a1.${exampleDonor.id}.1.mnfr8x30.RgE7Q2mXcJ0uVd9sKp4TzLwYb6NhAf1iOe3BqD8rUxC`,
          donor_id: exampleDonor.id,
          recommendation_set_id: set.id,
          expires_at: "2026-05-01T02:30:00.000Z"
        }
      }
    }),
    get(paymentOperations.read, "readPayment", "/recommendation-set-payments/:id", {
      description: `With what became of each part. ${beyond}`,
      example: { answer: payment }
    }),
    post(paymentOperations.refund, "refundPayment", "/recommendation-set-payments/:id/refund", {
      description: `All that is left of it, or the parts that allocation_ids name. What reached a recipient is taken back first, whole: then its part reads reversed and the donor gets the gross of it; the organisation bears the fees. 409 for a part whose transfer has not ended. ${beyond}`,
      example: { request: {}, answer: payment }
    })
  )
  .annotate(OpenApi.Description, "Recipients that donors pay at once, and the payments to them.") {}
