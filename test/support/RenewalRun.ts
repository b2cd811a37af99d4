import { Effect, Option } from "effect"
import { Renewer } from "../../src/app/payments/Renewer.ts"
import type { OrganisationId, SubscriptionId } from "../../src/domain/kernel/Ids.ts"
import { parse } from "../../src/domain/kernel/Listing.ts"
import * as Subscription from "../../src/domain/payments/Subscription.ts"
import { ChargeStore, SubscriptionStore, Transaction } from "../../src/ports.ts"

/** Has the worker look at every recurring gift of an organisation, at the time that the test has set. */
export const renewNow = (organisation_id: OrganisationId) =>
  Effect.gen(function* () {
    const store = yield* SubscriptionStore
    const transaction = yield* Transaction
    const query = yield* Effect.fromResult(parse(Subscription.listing, [["limit", "100"]]))
    const { data } = yield* store.list(organisation_id, query)
    const look_at = yield* ChargeStore.use(({ now }) => now)
    // A worker may have one of them at this moment.
    const dueNow = Effect.fnUntraced(function* (id: SubscriptionId) {
      const held = yield* store.findForUpdate(organisation_id, id)
      if (Option.isSome(held) && held.value.look_at !== null) yield* store.update({ ...held.value, look_at })
    })
    for (const { id } of data) yield* transaction.run(dueNow(id))
    yield* Renewer.use(({ renewDue }) => renewDue)
  }).pipe(Effect.orDie)
