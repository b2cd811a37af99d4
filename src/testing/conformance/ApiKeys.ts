import { Effect, Option, Struct } from "effect"
import { ApiKey, machine } from "../../domain/access/ApiKey.ts"
import { ApiKeyStore } from "../../ports/access/ApiKeyStore.ts"
import { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { rowFor } from "./MachineRows.ts"
import { recordStore } from "./RecordStores.ts"
import { at, freshId, keyOf, newOrganisation } from "./Records.ts"
import { lawsOf, none, same, type Thoroughness } from "./Suite.ts"

const { law, must } = lawsOf(ApiKeyStore)

/** The laws of {@link ApiKeyStore}. */
export const apiKeys = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "keys",
    port: Effect.map(ApiKeyStore, Struct.pick(["findForUpdate", "insert", "update"])),
    arbitrary: Generators.apiKey,
    schema: ApiKey,
    fresh: freshId("apiKey"),
    parents: () => Effect.map(freshId("request"), (secret_hash) => ({ secret_hash })),
    must: ["ApiKeyStore.findForUpdate MUST hold the row until the surrounding transaction ends"],
    answers: Effect.fnUntraced(function* (key, other) {
      const [organisations, store] = [yield* OrganisationStore, yield* ApiKeyStore]
      const organisation = Option.getOrThrow(yield* organisations.find(key.organisation_id))
      const isActive = key.revoked_at === null
      same(yield* store.findActive(key.secret_hash), isActive ? Option.some({ key, organisation }) : Option.none())
      same(yield* store.list(other), [])
    })
  })(() => [
    must(
      "the keys that open something are those that can be revoked",
      ["ApiKeyStore.findActive MUST NOT find a revoked key"],
      function* ({ store, id }) {
        const keys = yield* Effect.forEach([null, at(1)], (revoked_at) => keyOf(id, { revoked_at }))
        const row = rowFor(machine, { _tag: "Revoke", at: at(2) })
        row.meet(keys)
        for (const key of keys) {
          yield* store.insert(key)
          assert.strictEqual(Option.isSome(yield* store.findActive(key.secret_hash)), row.isTaken(key))
          yield* store.update(row.after(key))
          none(yield* store.findActive(key.secret_hash))
          same(yield* store.findForUpdate(id, key.id), Option.some(row.after(key)))
        }
      }
    ),

    law("a rotated key is found by its new hash only", function* ({ store }) {
      const organisation = yield* newOrganisation()
      const key = yield* keyOf(organisation.id)
      yield* store.insert(key)
      const rotated = { ...key, generation: 2, secret_hash: yield* freshId("request"), rotated_at: at(1) }
      yield* store.update(rotated)
      none(yield* store.findActive(key.secret_hash))
      same(yield* store.findActive(rotated.secret_hash), Option.some({ key: rotated, organisation }))
      none(yield* store.findActive(yield* freshId("request")))
    }),

    law("keys are listed oldest first, revoked ones too, no other organisation's", function* ({ store, id, other }) {
      const late = yield* keyOf(id, { created_at: at(9) })
      const early = yield* keyOf(id, { created_at: at(3), revoked_at: at(5) })
      const foreign = yield* keyOf(other)
      yield* Effect.forEach([late, foreign, early], store.insert)
      same(yield* store.list(id), [early, late])
      none(yield* store.findForUpdate(id, foreign.id))
      yield* store.update({ ...foreign, organisation_id: id, name: "Taken over" })
      same(yield* store.list(other), [foreign])
      same(yield* store.list(id), [early, late])
    })
  ])
