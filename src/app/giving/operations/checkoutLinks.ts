import { CheckoutLinkPatch, CheckoutLinkRecord, listing, NewCheckoutLink } from "../../../domain/giving/CheckoutLink.ts"
import { CheckoutLinkId } from "../../../domain/kernel/Ids.ts"
import { body, id, operationsOf, pageOf, query } from "../../access/steps/Operation.ts"
import { CheckoutLinks } from "../CheckoutLinks.ts"

const links = operationsOf(CheckoutLinks)
const linkId = id(CheckoutLinkId, "checkout link")

/** The operations of {@link CheckoutLinks}. */
export const checkoutLinkOperations = {
  create: links.forCaller({
    takes: [body(NewCheckoutLink, CheckoutLinkRecord)],
    gives: CheckoutLinkRecord,
    run: (use, input) => use.create(input)
  }),
  read: links.forCaller({ takes: [linkId], gives: CheckoutLinkRecord, run: (use, link) => use.read(link) }),
  list: links.forCaller({
    takes: [query(listing)],
    gives: pageOf(CheckoutLinkRecord),
    run: (use, asked) => use.list(asked)
  }),
  update: links.forCaller({
    takes: [linkId, body(CheckoutLinkPatch, CheckoutLinkRecord)],
    gives: CheckoutLinkRecord,
    run: (use, link, patch) => use.update(link, patch)
  }),
  cancel: links.forCaller({ takes: [linkId], gives: CheckoutLinkRecord, run: (use, link) => use.cancel(link) }),
  archive: links.forCaller({ takes: [linkId], gives: CheckoutLinkRecord, run: (use, link) => use.archive(link) })
}
