import { CheckoutLinkRecord, listing } from "../../../domain/giving/CheckoutLink.ts"
import { CheckoutLinkPatch, NewCheckoutLink } from "../../../domain/giving/CheckoutLinkDraft.ts"
import { CheckoutLinkId } from "../../../domain/kernel/Ids.ts"
import { body, id, operationsOf, pageOf, query } from "../../access/steps/Operation.ts"
import { CheckoutLinks } from "../CheckoutLinks.ts"

const links = operationsOf(CheckoutLinks)
const linkId = id(CheckoutLinkId, "checkout link")

/** The operations of {@link CheckoutLinks}. */
export const checkoutLinkOperations = {
  create: links.forCaller({
    name: "checkout_links.create",
    takes: [body(NewCheckoutLink, CheckoutLinkRecord)],
    gives: CheckoutLinkRecord,
    run: (use, input) => use.create(input)
  }),
  read: links.forCaller({
    name: "checkout_links.read",
    takes: [linkId],
    gives: CheckoutLinkRecord,
    run: (use, link) => use.read(link)
  }),
  list: links.forCaller({
    name: "checkout_links.list",
    takes: [query(listing)],
    gives: pageOf(CheckoutLinkRecord),
    run: (use, asked) => use.list(asked)
  }),
  update: links.forCaller({
    name: "checkout_links.update",
    takes: [linkId, body(CheckoutLinkPatch, CheckoutLinkRecord)],
    gives: CheckoutLinkRecord,
    run: (use, link, patch) => use.update(link, patch)
  }),
  cancel: links.forCaller({
    name: "checkout_links.cancel",
    takes: [linkId],
    gives: CheckoutLinkRecord,
    run: (use, link) => use.cancel(link)
  }),
  archive: links.forCaller({
    name: "checkout_links.archive",
    takes: [linkId],
    gives: CheckoutLinkRecord,
    run: (use, link) => use.archive(link)
  })
}
