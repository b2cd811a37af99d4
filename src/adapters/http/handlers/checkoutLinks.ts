import { Effect } from "effect"
import { CheckoutLinks } from "../../../app/giving/CheckoutLinks.ts"
import type { CheckoutLinksGroup } from "../endpoints/giving/checkoutLinks.ts"
import type { HandlersOf } from "../pipeline/Handler.ts"

export const checkoutLinksHandlers = Effect.gen(function* () {
  const links = yield* CheckoutLinks
  const handlers: HandlersOf<typeof CheckoutLinksGroup> = {
    create: { run: ({ payload }) => links.create(payload) },
    list: { run: ({ list }) => links.list(list) },
    read: { run: ({ params }) => links.read(params.id) },
    update: { run: ({ params, payload }) => links.update(params.id, payload) },
    cancel: { run: ({ params }) => links.cancel(params.id) },
    archive: { run: ({ params }) => links.archive(params.id) }
  }
  return handlers
})
