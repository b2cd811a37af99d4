import { Effect, Option } from "effect"
import fc from "fast-check"
import { listing, type Mandate, Status } from "../../domain/payments/Mandate.ts"
import type { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import type { DonorStore } from "../../ports/giving/DonorStore.ts"
import type { Transaction } from "../../ports/kernel/Transaction.ts"
import { MandateStore } from "../../ports/payments/MandateStore.ts"
import type { SubscriptionStore } from "../../ports/payments/SubscriptionStore.ts"
import * as Generators from "../Generators.ts"
import { holding } from "./Holding.ts"
import { lists } from "./Lists.ts"
import { at, freshId, newOrganisation } from "./Records.ts"
import { freshMandateId, mandateOf, newSubscription } from "./SubscriptionRecords.ts"
import { type Check, forAll, must, none, runsOf, same, type Thoroughness } from "./Suite.ts"

/** The ports that the checks use. */
type Needs = DonorStore | IntegrationStore | MandateStore | OrganisationStore | SubscriptionStore | Transaction

const draft = fc
  .tuple(Generators.mandate, fc.record({ status: fc.constantFrom(...Status.literals), created_at: fc.nat(3).map(at) }))
  .map(([mandate, given]): Mandate => ({ ...mandate, ...given }))

/**
 * The laws of {@link MandateStore}.
 */
export const mandates = (given: Thoroughness = {}): ReadonlyArray<Check<Needs>> => [
  must(
    "a mandate is read back as it was written, and after an update, by its own organisation only",
    [
      "RecordReader MUST see the named organisation's records only",
      "RecordStore.update MUST write all fields of the record that has the same organisation and id"
    ],
    () =>
      forAll(
        runsOf(given),
        fc.tuple(Generators.mandate, Generators.mandate),
        Effect.fnUntraced(function* (written) {
          const store = yield* MandateStore
          const [{ id: organisation_id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
          const { id: subscription_id } = yield* newSubscription(organisation_id)
          const id = yield* freshMandateId
          for (const [index, each] of written.entries()) {
            const record = { ...each, id, organisation_id, subscription_id }
            yield* index === 0 ? store.insert(record) : store.update(record)
            same(yield* store.find(organisation_id, id), Option.some(record))
            same(yield* store.findForUpdate(organisation_id, id), Option.some(record))
            none(yield* store.find(other.id, id))
          }
        })
      )
  ),

  must(
    "mandates of all organisations are found by their reference at the processor of their account, revoked or not",
    ["MandateStore.ofReference MUST find those that are revoked, too."],
    () =>
      Effect.gen(function* () {
        const store = yield* MandateStore
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
        const inOrder = (all: ReadonlyArray<Mandate>) => all.toSorted((a, b) => (a.id < b.id ? -1 : 1))
        same(inOrder(found), inOrder(kept))
        same(yield* store.ofReference("other", reference), [])
        same(yield* store.ofReference("test", `${reference}x`), [])
      })
  ),

  ...lists(
    {
      name: "mandates",
      spec: listing,
      draft,
      store: Effect.fnUntraced(function* (organisation_id, drafted) {
        const { id: subscription_id } = yield* newSubscription(organisation_id)
        const mandate: Mandate = { ...drafted, id: yield* freshMandateId, organisation_id, subscription_id }
        yield* (yield* MandateStore).insert(mandate)
        return mandate
      }),
      list: (organisation_id, query) => MandateStore.use((store) => store.list(organisation_id, query)),
      columns: (mandate) => mandate
    },
    runsOf(given)
  ),

  holding({
    name: "a mandate",
    must: "RecordStore.findForUpdate MUST hold the row against every change until the surrounding transaction ends",
    make: Effect.gen(function* () {
      const mandate: Mandate = { ...mandateOf(yield* newSubscription((yield* newOrganisation()).id)), reference: "0" }
      yield* (yield* MandateStore).insert(mandate)
      return mandate
    }),
    findForUpdate: ({ id, organisation_id }) => MandateStore.use((store) => store.findForUpdate(organisation_id, id)),
    update: (mandate) => MandateStore.use((store) => store.update(mandate)),
    count: ({ reference }) => Number(reference),
    counted: (mandate, count) => ({ ...mandate, reference: `${count}` })
  })
]
