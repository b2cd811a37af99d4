import { CheckoutLinkRecord } from "../../../domain/giving/CheckoutLink.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, CheckoutLinks, takes } from "../CheckoutLinks.ts"

const links = operationsOf(CheckoutLinks)
/** The operations of {@link CheckoutLinks}. */
export const checkoutLinkOperations = {
  create: links.forCaller({
    asks: asks.create,
    keyed: true,
    takes: takes.create,
    gives: CheckoutLinkRecord,
    run: (use, input) => use.create(input)
  }),
  read: links.forCaller({
    asks: asks.read,
    takes: takes.read,
    gives: CheckoutLinkRecord,
    run: (use, link) => use.read(link)
  }),
  list: links.forCaller({
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(CheckoutLinkRecord),
    run: (use, asked) => use.list(asked)
  }),
  update: links.forCaller({
    asks: asks.update,
    keyed: true,
    takes: takes.update,
    gives: CheckoutLinkRecord,
    run: (use, link, patch) => use.update(link, patch)
  }),
  cancel: links.forCaller({
    asks: asks.cancel,
    keyed: true,
    takes: takes.cancel,
    gives: CheckoutLinkRecord,
    run: (use, link) => use.cancel(link)
  }),
  archive: links.forCaller({
    asks: asks.archive,
    keyed: false,
    takes: takes.archive,
    gives: CheckoutLinkRecord,
    run: (use, link) => use.archive(link)
  })
}
