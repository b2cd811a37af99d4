import { Effect } from "effect"
import * as CheckoutLink from "../../../domain/giving/CheckoutLink.ts"
import { CheckoutLinkStore } from "../../../ports/giving/CheckoutLinkStore.ts"
import { keptIn, makeChange } from "../../access/change/Change.ts"
import { refuseArchived } from "../../kernel/store/RecordChecks.ts"

/** Makes the {@link makeChange} of checkout links: the one author of their changes. */
export const makeCheckoutLinkChange = Effect.gen(function* () {
  const store = yield* CheckoutLinkStore
  return (yield* makeChange)({
    machine: CheckoutLink.machine,
    ...keptIn("checkout link", store),
    refuseEnded: (link) => refuseArchived("checkout link", link),
    tell: (types, link, { at }) => {
      const data = CheckoutLink.eventDataOf(link, at)
      return types.map((type) => ({ type, data }))
    }
  })
})
