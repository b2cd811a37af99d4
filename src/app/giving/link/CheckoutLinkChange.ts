import { Effect } from "effect"
import * as CheckoutLink from "../../../domain/giving/CheckoutLink.ts"
import type { CheckoutLinkId } from "../../../domain/kernel/Ids.ts"
import { CheckoutLinkStore } from "../../../ports/giving/CheckoutLinkStore.ts"
import { makeChange } from "../../access/change/Change.ts"
import { orNotFound, refuseArchived } from "../../kernel/store/RecordChecks.ts"

/** Makes the {@link makeChange} of checkout links: the one author of their changes. */
export const makeCheckoutLinkChange = Effect.gen(function* () {
  const store = yield* CheckoutLinkStore
  return (yield* makeChange)({
    machine: CheckoutLink.machine,
    lock: (organisation_id, id: CheckoutLinkId) =>
      store.findForUpdate(organisation_id, id).pipe(orNotFound("checkout link", id)),
    refuseEnded: (link) => refuseArchived("checkout link", link),
    update: store.update,
    tell: (types, link, { at }) => {
      const data = CheckoutLink.eventDataOf(link, at)
      return types.map((type) => ({ type, data }))
    }
  })
})
