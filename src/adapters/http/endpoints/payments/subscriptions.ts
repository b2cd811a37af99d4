import { HttpApiGroup, OpenApi } from "effect/http-api"
import { subscriptionOperations } from "../../../../app/payments/Subscriptions.ts"
import { beyond, get, post } from "../Declare.ts"
import { idOf, instant, later, page } from "../Example.ts"
import { exampleDonor } from "../giving/donors.ts"

const subscription = {
  id: idOf("subscription"),
  donor_id: exampleDonor.id,
  status: "ACTIVE",
  amount_cents: 5_000,
  currency: "AUD",
  frequency: "MONTHLY",
  donation_form_id: idOf("donationForm"),
  created_at: instant,
  updated_at: instant,
  method: "card",
  consent_given: true,
  anchor_day: "2026-04-02",
  next_charge_on: "2026-05-02"
}

const invoice = {
  id: idOf("invoice"),
  subscription_id: subscription.id,
  due_on: "2026-04-02",
  amount_cents: 5_000,
  currency: "AUD",
  status: "PAID",
  charge_id: idOf("charge"),
  failures: 0,
  donation_id: idOf("donation"),
  ended_at: instant,
  created_at: instant,
  updated_at: instant
}

export class SubscriptionsGroup extends HttpApiGroup.make("subscriptions")
  .add(
    get(subscriptionOperations.list, "list", "/subscriptions", {
      description: `Newest first, those that ended among them. ${beyond}`,
      example: { answer: page(subscription) }
    }),
    get(subscriptionOperations.read, "read", "/subscriptions/:id", {
      description: `Its gifts are those whose subscription_id it is. ${beyond}`,
      example: { answer: subscription }
    }),
    get(subscriptionOperations.listInvoices, "listInvoices", "/subscriptions/:id/invoices", {
      description: `One for each day on which it was due, newest first, with the gift that paid it. ${beyond}`,
      example: { answer: page(invoice) }
    }),
    post(subscriptionOperations.cancel, "cancel", "/subscriptions/:id/cancel", {
      description: `It is charged no more, with cancel_reason cancellation_requested. A charge that is under way settles as it settles. ${beyond}`,
      example: {
        answer: {
          ...subscription,
          status: "CANCELLED",
          next_charge_on: null,
          cancel_reason: "cancellation_requested",
          updated_at: later,
          cancelled_at: later
        }
      }
    })
  )
  .annotate(OpenApi.Description, "Recurring gifts.") {}
