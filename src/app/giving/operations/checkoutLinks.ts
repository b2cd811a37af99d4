import { CheckoutLinkRecord, listing } from "../../../domain/giving/CheckoutLink.ts"
import { CheckoutLinkPatch, NewCheckoutLink } from "../../../domain/giving/CheckoutLinkDraft.ts"
import { CheckoutLinkId } from "../../../domain/kernel/Ids.ts"
import { body, id, operationsOf, pageOf, query } from "../../access/steps/Operation.ts"
import { asks, CheckoutLinks } from "../CheckoutLinks.ts"

const links = operationsOf(CheckoutLinks)
const linkId = id(CheckoutLinkId, "checkout link")

/** The operations of {@link CheckoutLinks}. */
export const checkoutLinkOperations = {
  create: links.forCaller({
    asks: asks.create,
    keyed: true,
    takes: [body(NewCheckoutLink, CheckoutLinkRecord)],
    gives: CheckoutLinkRecord,
    run: (use, input) => use.create(input)
  }),
  read: links.forCaller({
    asks: asks.read,
    takes: [linkId],
    gives: CheckoutLinkRecord,
    run: (use, link) => use.read(link)
  }),
  list: links.forCaller({
    asks: asks.list,
    takes: [query(listing)],
    gives: pageOf(CheckoutLinkRecord),
    run: (use, asked) => use.list(asked)
  }),
  update: links.forCaller({
    asks: asks.update,
    keyed: true,
    takes: [linkId, body(CheckoutLinkPatch, CheckoutLinkRecord)],
    gives: CheckoutLinkRecord,
    run: (use, link, patch) => use.update(link, patch)
  }),
  cancel: links.forCaller({
    asks: asks.cancel,
    keyed: true,
    takes: [linkId],
    gives: CheckoutLinkRecord,
    run: (use, link) => use.cancel(link)
  }),
  archive: links.forCaller({
    asks: asks.archive,
    keyed: false,
    takes: [linkId],
    gives: CheckoutLinkRecord,
    run: (use, link) => use.archive(link)
  })
}
