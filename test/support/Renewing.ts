import { Effect } from "effect"
import { Renewer } from "../../src/app/payments/Renewer.ts"
import type { OrganisationId } from "../../src/domain/kernel/Ids.ts"
import { parse } from "../../src/domain/kernel/Listing.ts"
import * as Subscription from "../../src/domain/payments/Subscription.ts"
import { ChargeStore } from "../../src/ports/payments/ChargeStore.ts"
import { SubscriptionStore } from "../../src/ports/payments/SubscriptionStore.ts"

/** Has the worker look at every recurring gift of an organisation, at the time that the test has set. */
export const renewNow = (organisation_id: OrganisationId) =>
  Effect.gen(function* () {
    const store = yield* SubscriptionStore
    const query = yield* Effect.fromResult(parse(Subscription.listing, [["limit", "100"]]))
    const { data } = yield* store.list(organisation_id, query)
    const look_at = yield* ChargeStore.use(({ now }) => now)
    for (const each of data) if (each.look_at !== null) yield* store.update({ ...each, look_at })
    yield* Renewer.use(({ renewDue }) => renewDue)
  }).pipe(Effect.orDie)
