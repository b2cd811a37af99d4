import { Effect, Exit, Option } from "effect"
import fc from "fast-check"
import { type Integration, listing, type TransferAccount } from "../../domain/access/Integration.ts"
import { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import type { Transaction } from "../../ports/kernel/Transaction.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { holding } from "./Holding.ts"
import { lists } from "./Lists.ts"
import { at, freshId, freshIntegrationId, integrationOf, newOrganisation } from "./Records.ts"
import { type Check, forAll, law, must, none, runsOf, same, type Thoroughness } from "./Suite.ts"

/** The ports that the checks use. */
type Needs = IntegrationStore | OrganisationStore | Transaction

/** At most one active integration is the default: others of the same organisation are none. */
const draft = fc.tuple(Generators.integration, fc.nat(3).map(at)).map(([integration, created_at]) => ({
  ...integration,
  is_default: false,
  created_at
}))

const accountOf = ({
  id,
  is_active,
  is_default,
  is_own,
  organisation_id,
  processor
}: Integration): TransferAccount => ({
  id,
  organisation_id,
  processor,
  is_own,
  is_default,
  is_active
})

/**
 * The laws of {@link IntegrationStore}.
 */
export const integrations = (given: Thoroughness = {}): ReadonlyArray<Check<Needs>> => [
  must(
    "an integration is read back as it was written, and after each update",
    ["RecordStore.update MUST write all fields of the record that has the same organisation and id"],
    () =>
      forAll(
        runsOf(given),
        fc.tuple(Generators.integration, Generators.integration),
        Effect.fnUntraced(function* (written) {
          const store = yield* IntegrationStore
          const { id: organisation_id } = yield* newOrganisation()
          const id = yield* freshIntegrationId
          for (const [index, each] of written.entries()) {
            const integration = { ...each, id, organisation_id }
            yield* index === 0 ? store.insert(integration) : store.update(integration)
            same(yield* store.find(organisation_id, id), Option.some(integration))
            same(yield* store.findForUpdate(organisation_id, id), Option.some(integration))
          }
        })
      )
  ),

  law("an integration of any organisation is found by its id, and by its account at its processor", () =>
    Effect.gen(function* () {
      const store = yield* IntegrationStore
      const processor_connect_account_id = yield* freshId("request")
      const made = yield* Effect.forEach(["test", "test", "other"], (processor) =>
        Effect.gen(function* () {
          const { id } = yield* newOrganisation()
          const integration = { ...(yield* integrationOf(id)), processor, processor_connect_account_id }
          yield* store.insert(integration)
          return integration
        })
      )
      for (const each of made) same(yield* store.ofId(each.id), Option.some(each))
      none(yield* store.ofId(yield* freshIntegrationId))
      const found = yield* store.ofAccount("test", processor_connect_account_id)
      const own = made.filter(({ processor }) => processor === "test")
      same(new Set(found.map(({ id }) => id)), new Set(own.map(({ id }) => id)))
      same(yield* store.ofAccount("test", `${processor_connect_account_id}x`), [])
    })
  ),

  law("an organisation's default account is read with others in one look", () =>
    Effect.gen(function* () {
      const store = yield* IntegrationStore
      const { id } = yield* newOrganisation()
      const own = yield* Effect.tap(integrationOf(id, { is_default: true }), store.insert)
      yield* Effect.tap(integrationOf(id), store.insert)
      const others = yield* Effect.forEach([true, false], (is_default) =>
        Effect.gen(function* () {
          const { id } = yield* newOrganisation()
          return yield* Effect.tap(integrationOf(id, { is_default }), store.insert)
        })
      )
      const asked = [...others.map(({ id }) => id), yield* freshIntegrationId]
      const sorted = (found: ReadonlyArray<TransferAccount>) => found.toSorted((a, b) => (a.id < b.id ? -1 : 1))
      same(sorted(yield* store.defaultAnd(id, asked)), sorted([own, ...others].map(accountOf)))
      same(yield* store.defaultAnd(id, [own.id]), [accountOf(own)])
      yield* store.update({ ...own, is_default: false })
      same(yield* store.defaultAnd(id, []), [])
    })
  ),

  ...lists(
    {
      name: "integrations",
      spec: listing,
      draft,
      store: Effect.fnUntraced(function* (organisation_id, drafted) {
        const integration = { ...drafted, id: yield* freshIntegrationId, organisation_id }
        yield* (yield* IntegrationStore).insert(integration)
        return integration
      }),
      list: (organisation_id, query) => IntegrationStore.use((store) => store.list(organisation_id, query)),
      columns: (integration) => integration
    },
    runsOf(given)
  ),

  holding({
    name: "an integration",
    must: "RecordStore.findForUpdate MUST hold the row against every change until the surrounding transaction ends",
    make: Effect.gen(function* () {
      const { id } = yield* newOrganisation()
      return yield* Effect.tap(integrationOf(id, { label: "0" }), (yield* IntegrationStore).insert)
    }),
    findForUpdate: ({ id, organisation_id }) =>
      IntegrationStore.use((store) => store.findForUpdate(organisation_id, id)),
    update: (integration) => IntegrationStore.use((store) => store.update(integration)),
    count: ({ label }) => Number(label),
    counted: (integration, count) => ({ ...integration, label: `${count}` })
  }),

  must(
    "an organisation's active integrations have one default at most",
    ["IntegrationStore MUST be the default: writing a second one is an error of the program"],
    () =>
      Effect.gen(function* () {
        const store = yield* IntegrationStore
        const { id } = yield* newOrganisation()
        const first = yield* Effect.tap(integrationOf(id, { is_default: true }), store.insert)
        const second = yield* Effect.tap(integrationOf(id), store.insert)
        assert.isTrue(Exit.isFailure(yield* Effect.exit(store.update({ ...second, is_default: true }))))
        const third = yield* integrationOf(id, { is_default: true })
        assert.isTrue(Exit.isFailure(yield* Effect.exit(store.insert(third))))
        none(yield* store.find(id, third.id))
        // One that is out of use may be what it was, and another organisation has its own.
        yield* store.insert({ ...third, is_active: false })
        yield* store.insert(yield* integrationOf((yield* newOrganisation()).id, { is_default: true }))
        yield* store.update({ ...first, is_default: false })
        yield* store.update({ ...second, is_default: true })
        same(yield* store.find(id, second.id), Option.some({ ...second, is_default: true }))
      })
  ),

  law("the default account is the active one that is made the default, of its own organisation only", () =>
    Effect.gen(function* () {
      const store = yield* IntegrationStore
      const [{ id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
      yield* store.insert(yield* integrationOf(id, { is_default: true, is_active: false }))
      yield* store.insert(yield* integrationOf(id))
      same(yield* store.defaultAnd(id, []), [])
      const chosen = yield* Effect.tap(integrationOf(id, { is_default: true }), store.insert)
      yield* store.insert(yield* integrationOf(id))
      same(yield* store.defaultAnd(id, []), [accountOf(chosen)])
      same(yield* store.defaultAnd(other.id, []), [])
      yield* store.update({ ...chosen, is_active: false })
      same(yield* store.defaultAnd(id, []), [])
    })
  ),

  law("a passphrase is found by its hash and the key of the hash together, and no longer than it is kept", () =>
    Effect.gen(function* () {
      const store = yield* IntegrationStore
      const [first, second] = [yield* newOrganisation(), yield* newOrganisation()]
      const [hash, other] = [yield* freshId("request"), yield* freshId("request")]
      const kept = yield* integrationOf(first.id, { passphrase_hash: hash, passphrase_key_id: "k1" })
      const without = yield* integrationOf(second.id)
      yield* store.insert(without)
      yield* store.insert(kept)
      none(yield* store.findByPassphrase([]))
      none(yield* store.findByPassphrase([{ key_id: "k2", hash }]))
      none(
        yield* store.findByPassphrase([
          { key_id: "k1", hash: other },
          { key_id: "k2", hash }
        ])
      )
      same(
        yield* store.findByPassphrase([
          { key_id: "k2", hash: other },
          { key_id: "k1", hash }
        ]),
        Option.some(kept)
      )
      yield* store.update({ ...kept, passphrase_hash: other })
      none(yield* store.findByPassphrase([{ key_id: "k1", hash }]))
    })
  )
]
