import { Effect } from "effect"
import fc from "fast-check"
import { listing, type Mandate, Status } from "../../domain/payments/Mandate.ts"
import { MandateStore } from "../../ports/payments/MandateStore.ts"
import * as Generators from "../Generators.ts"
import { recordStore } from "./RecordStores.ts"
import { freshId, newOrganisation } from "./Records.ts"
import { freshMandateId, mandateOf, newSubscription } from "./SubscriptionRecords.ts"
import { byId, same, type Thoroughness } from "./Suite.ts"

/** The laws of {@link MandateStore}. */
export const mandates = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "mandates",
    port: MandateStore,
    arbitrary: Generators.mandate,
    fresh: freshMandateId,
    parents: (organisation_id) => Effect.map(newSubscription(organisation_id), ({ id }) => ({ subscription_id: id })),
    list: { spec: listing, few: fc.record({ status: fc.constantFrom(...Status.literals) }) }
  })(({ must }) => [
    must(
      "mandates of all organisations are found by their reference at the processor of their account, revoked or not",
      ["MandateStore.ofReference MUST find those that are revoked, too."],
      function* ({ store }) {
        const reference = yield* freshId("request")
        const kept = yield* Effect.forEach(
          Status.literals,
          Effect.fnUntraced(function* (status) {
            const { id: organisation_id } = yield* newOrganisation()
            const [named, other] = [yield* newSubscription(organisation_id), yield* newSubscription(organisation_id)]
            const mandate: Mandate = { ...mandateOf(named), status, reference }
            yield* store.insert(mandate)
            yield* store.insert({ ...mandateOf(other), reference: null })
            return mandate
          })
        )
        const found = yield* store.ofReference("test", reference)
        same(byId(found), byId(kept))
        same(yield* store.ofReference("other", reference), [])
        same(yield* store.ofReference("test", `${reference}x`), [])
      }
    )
  ])
