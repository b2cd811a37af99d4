import { Effect, Option } from "effect"
import fc from "fast-check"
import { listing } from "../../domain/outbox/WebhookEndpoint.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import type { DeliveryStore } from "../../ports/outbox/DeliveryStore.ts"
import { WebhookEndpointStore } from "../../ports/outbox/WebhookEndpointStore.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { holding } from "./Holding.ts"
import { lists } from "./Lists.ts"
import { at, endpointOf, freshEndpointId, newOrganisation, queryOf } from "./Records.ts"
import { type Check, forAll, must, none, runsOf, same, type Thoroughness } from "./Suite.ts"

/** The ports that the checks use. */
type Needs = WebhookEndpointStore | DeliveryStore | OrganisationStore | Transaction

const draft = fc
  .tuple(Generators.webhookEndpoint, fc.nat(3).map(at), fc.option(fc.nat(3).map(at), { freq: 3 }))
  .map(([endpoint, created_at, deleted_at]) => ({ ...endpoint, created_at, deleted_at }))

/**
 * The laws of {@link WebhookEndpointStore}.
 */
export const webhookEndpoints = (given: Thoroughness = {}): ReadonlyArray<Check<Needs>> => [
  must(
    "an endpoint is read back as it was written, and after each update",
    ["RecordStore.update MUST write all fields of the record that has the same organisation and id"],
    () =>
      forAll(
        runsOf(given),
        fc.tuple(Generators.webhookEndpoint, Generators.webhookEndpoint),
        Effect.fnUntraced(function* ([given, next]) {
          const store = yield* WebhookEndpointStore
          const { id: organisation_id } = yield* newOrganisation()
          const id = yield* freshEndpointId
          for (const [index, each] of [given, next].entries()) {
            const endpoint = { ...each, id, organisation_id, deleted_at: null }
            yield* index === 0 ? store.insert(endpoint) : store.update(endpoint)
            same(yield* store.find(organisation_id, id), Option.some(endpoint))
            same(yield* store.findForUpdate(organisation_id, id), Option.some(endpoint))
          }
        })
      )
  ),

  ...lists(
    {
      name: "webhook endpoints",
      spec: listing,
      draft,
      store: Effect.fnUntraced(function* (organisation_id, given) {
        const endpoint = { ...given, id: yield* freshEndpointId, organisation_id }
        yield* (yield* WebhookEndpointStore).insert(endpoint)
        return endpoint
      }),
      list: (organisation_id, query) => WebhookEndpointStore.use((store) => store.list(organisation_id, query)),
      columns: (endpoint) => endpoint,
      hidden: (endpoint) => endpoint.deleted_at !== null
    },
    runsOf(given)
  ),

  holding({
    name: "an endpoint",
    must: "RecordStore.findForUpdate MUST hold the row against every change until the surrounding transaction ends",
    make: Effect.gen(function* () {
      const { id } = yield* newOrganisation()
      return yield* Effect.tap(endpointOf(id, { description: "0" }), (yield* WebhookEndpointStore).insert)
    }),
    findForUpdate: ({ id, organisation_id }) =>
      WebhookEndpointStore.use((store) => store.findForUpdate(organisation_id, id)),
    update: (endpoint) => WebhookEndpointStore.use((store) => store.update(endpoint)),
    count: ({ description }) => Number(description),
    counted: (endpoint, count) => ({ ...endpoint, description: `${count}` })
  }),

  must(
    "a deleted endpoint is held for update and otherwise not there",
    ["WebhookEndpointStore MUST see no deleted one", "WebhookEndpointStore MUST find one, too"],
    () =>
      Effect.gen(function* () {
        const store = yield* WebhookEndpointStore
        const { id } = yield* newOrganisation()
        const endpoint = yield* endpointOf(id)
        yield* store.insert(endpoint)
        assert.strictEqual(yield* store.countForUpdate(id), 1)
        const deleted = { ...endpoint, is_active: false, deleted_at: at(1) }
        yield* store.update(deleted)
        none(yield* store.find(id, endpoint.id))
        same(yield* store.findForUpdate(id, endpoint.id), Option.some(deleted))
        same((yield* store.list(id, queryOf({ archived: true }))).data, [])
        assert.strictEqual(yield* store.countForUpdate(id), 0)
      })
  ),

  must(
    "no operation sees or changes another organisation's endpoint",
    ["RecordReader MUST see the named organisation's records only"],
    () =>
      Effect.gen(function* () {
        const store = yield* WebhookEndpointStore
        const [{ id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
        const endpoint = yield* endpointOf(other.id)
        yield* store.insert(endpoint)
        none(yield* store.find(id, endpoint.id))
        none(yield* store.findForUpdate(id, endpoint.id))
        assert.strictEqual(yield* store.countForUpdate(id), 0)
        yield* store.update({ ...endpoint, organisation_id: id, url: "https://other.example.org/" })
        same(yield* store.find(other.id, endpoint.id), Option.some(endpoint))
        none(yield* store.find(id, endpoint.id))
      })
  ),

  must(
    "of many that count and insert at the same moment, each counts those before it",
    ["WebhookEndpointStore.countForUpdate MUST let one transaction after the other count and insert"],
    () =>
      Effect.gen(function* () {
        const store = yield* WebhookEndpointStore
        const transaction = yield* Transaction
        const { id } = yield* newOrganisation()
        const register = transaction.run(
          Effect.gen(function* () {
            const count = yield* store.countForUpdate(id)
            yield* Effect.yieldNow
            if (count < 3) yield* store.insert(yield* endpointOf(id))
            return count
          })
        )
        const counts = yield* Effect.all(
          Array.from({ length: 6 }, () => register),
          { concurrency: "unbounded" }
        )
        same(counts.toSorted(), [0, 1, 2, 3, 3, 3])
      })
  )
]
