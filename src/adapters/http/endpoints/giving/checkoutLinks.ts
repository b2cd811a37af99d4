import { HttpApiGroup, OpenApi } from "effect/http-api"
import { checkoutLinkOperations } from "../../../../app/giving/CheckoutLinks.ts"
import { changeErrors } from "../../pipeline/ErrorEnvelope.ts"
import { del, get, patch, post } from "../Declare.ts"
import { farAhead, idOf, instant, later, page } from "../Example.ts"

const newLink = {
  donor_email: "ada@example.org",
  donor_first_name: "Ada",
  donor_last_name: "Okafor",
  amount_cents: 25_000,
  description: "Table at the spring dinner",
  revenue_code: "SPRING-2026",
  payment_methods: ["card", "bank_transfer"],
  expires_at: farAhead
}

const code = "4VnYk8QmZr1Wc6Tb9XhJ2D"

const link = {
  ...newLink,
  id: idOf("checkoutLink"),
  code,
  url: `https://riverside.example.org/c/${code}`,
  currency: "AUD",
  status: "ACTIVE",
  source: "API",
  revenue_code_id: idOf("revenueCode"),
  visit_count: 0,
  created_at: instant,
  updated_at: instant
}

export class CheckoutLinksGroup extends HttpApiGroup.make("checkout-links")
  .add(
    post(checkoutLinkOperations.create, "create", "/checkout-links", {
      status: 201,
      description:
        "Names its donor by donor_id, who needs an e-mail address, or by donor_email with optional names and phone; then the donor is found or made when the gift is.",
      example: { request: newLink, answer: link }
    }),
    get(checkoutLinkOperations.list, "list", "/checkout-links", {
      description:
        "Newest first, without archived ones unless archived=true. A link whose time has run out is EXPIRED.",
      example: { answer: page(link) }
    }),
    get(checkoutLinkOperations.read, "read", "/checkout-links/:id", {
      description: "Archived links can be read, too. A link whose time has run out is EXPIRED.",
      example: { answer: link }
    }),
    patch(checkoutLinkOperations.update, "update", "/checkout-links/:id", {
      description:
        "While it is ACTIVE. An absent field stays; null clears one that may be null. The amount cannot change while money of a gift in progress may still arrive without the donor, as of a bank transfer; one that only waits for its donor is cancelled.",
      example: {
        request: { amount_cents: 30_000, expires_at: null },
        answer: { ...link, amount_cents: 30_000, expires_at: null, updated_at: later }
      }
    }),
    post(checkoutLinkOperations.cancel, "cancel", "/checkout-links/:id/cancel", {
      description:
        "While it is ACTIVE, and no money of a gift in progress may still arrive without the donor, as of a bank transfer. It takes no more payment; a gift that only waits for its donor is cancelled, and wins where its money came first.",
      example: { answer: { ...link, status: "CANCELED", updated_at: later } }
    }),
    del(checkoutLinkOperations.archive, "archive", "/checkout-links/:id", {
      error: changeErrors,
      description:
        "Refused while money of a gift in progress may still arrive without the donor, as of a bank transfer. An archived link takes no payment. A repetition answers the same record.",
      example: { answer: { ...link, updated_at: later, archived_at: later } }
    })
  )
  .annotate(OpenApi.Description, "Pages on which one donor pays one amount.") {}
