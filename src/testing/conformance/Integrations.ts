import { Effect, Exit, Option } from "effect"
import { Integration, listing, type TransferAccount } from "../../domain/access/Integration.ts"
import { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { recordStore } from "./RecordStores.ts"
import { freshId, integrationOf, newOrganisation } from "./Records.ts"
import { byId, none, same, type Thoroughness } from "./Suite.ts"

const accountOf = ({
  id,
  is_active,
  is_default,
  is_own,
  organisation_id,
  processor
}: Integration): TransferAccount => ({ id, organisation_id, processor, is_own, is_default, is_active })

/** The laws of {@link IntegrationStore}. */
export const integrations = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "integrations",
    port: IntegrationStore,
    arbitrary: Generators.integration,
    schema: Integration,
    fresh: freshId("integration"),
    // At most one active integration is the default: others of the same organisation are none.
    parents: (_, { is_active }) => Effect.succeed(is_active ? { is_default: false } : {}),
    list: { spec: listing }
  })(({ law, must }) => [
    law("any organisation's integration is found by its id, and by its account", function* ({ store }) {
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
      none(yield* store.ofId(yield* freshId("integration")))
      same(yield* store.ofAccount("nobody", processor_connect_account_id), [])
      const found = yield* store.ofAccount("test", processor_connect_account_id)
      const own = made.filter(({ processor }) => processor === "test")
      same(byId(found), byId(own))
      same(yield* store.ofAccount("test", `${processor_connect_account_id}x`), [])
    }),

    law("an organisation's default account is read with others in one look", function* ({ store, id }) {
      const own = yield* Effect.tap(integrationOf(id, { is_default: true }), store.insert)
      yield* Effect.tap(integrationOf(id), store.insert)
      const others = yield* Effect.forEach([true, false], (is_default) =>
        Effect.gen(function* () {
          const { id } = yield* newOrganisation()
          return yield* Effect.tap(integrationOf(id, { is_default }), store.insert)
        })
      )
      const asked = [...others.map(({ id }) => id), yield* freshId("integration")]
      same(byId(yield* store.defaultAnd(id, asked)), byId([own, ...others].map(accountOf)))
      same(yield* store.defaultAnd(id, [own.id]), [accountOf(own)])
      yield* store.update({ ...own, is_default: false })
      same(yield* store.defaultAnd(id, []), [])
    }),

    must(
      "an organisation's active integrations have one default at most",
      ["IntegrationStore MUST be the default: writing a second one is an error of the program"],
      function* ({ store, id }) {
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
      }
    ),

    law("the default account is the active one that is made it, of its organisation", function* ({ store, id, other }) {
      yield* store.insert(yield* integrationOf(id, { is_default: true, is_active: false }))
      yield* store.insert(yield* integrationOf(id))
      same(yield* store.defaultAnd(id, []), [])
      const chosen = yield* Effect.tap(integrationOf(id, { is_default: true }), store.insert)
      yield* store.insert(yield* integrationOf(id))
      same(yield* store.defaultAnd(id, []), [accountOf(chosen)])
      same(yield* store.defaultAnd(other, []), [])
      yield* store.update({ ...chosen, is_active: false })
      same(yield* store.defaultAnd(id, []), [])
    }),

    law("a passphrase is found by its hash and the hash's key together, while it is kept", function* ({ store }) {
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
  ])
