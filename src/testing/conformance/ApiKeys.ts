import { Effect, Option } from "effect"
import { ApiKey, machine } from "../../domain/access/ApiKey.ts"
import { ApiKeyStore } from "../../ports/access/ApiKeyStore.ts"
import { atBounds } from "../Bounds.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { after, isTaken, meetRow } from "./MachineRows.ts"
import { lockCheck } from "./RecordLocks.ts"
import { at, freshId, keyOf, newOrganisation } from "./Records.ts"
import { lawsOf, none, runsOf, same, suite, type Thoroughness } from "./Suite.ts"

const { law, property } = lawsOf(ApiKeyStore)

/** The laws of {@link ApiKeyStore}. */
export const apiKeys = (given: Thoroughness = {}) =>
  suite([
    lockCheck({
      name: "a key",
      must: "ApiKeyStore.findForUpdate MUST hold the row until the surrounding transaction ends",
      make: Effect.gen(function* () {
        const { id } = yield* newOrganisation()
        return yield* Effect.tap(keyOf(id), (yield* ApiKeyStore).insert)
      }),
      findForUpdate: (key) => ApiKeyStore.use((store) => store.findForUpdate(key.organisation_id, key.id)),
      update: (key) => ApiKeyStore.use((store) => store.update(key)),
      count: ({ generation }) => generation - 1,
      counted: (key, count) => ({ ...key, generation: count + 1 })
    }),

    property(
      "a key is found by its hash with its organisation until it is revoked",
      ["ApiKeyStore.findActive MUST NOT find a revoked key"],
      runsOf(given),
      atBounds(ApiKey, Generators.apiKey),
      function* (given, { store }) {
        const organisation = yield* newOrganisation()
        const secret_hash = yield* freshId("request")
        const id = yield* freshId("apiKey")
        const key = { ...given, id, organisation_id: organisation.id, secret_hash, revoked_at: null }
        yield* store.insert(key)
        same(yield* store.findActive(secret_hash), Option.some({ key, organisation }))
        same(yield* store.findForUpdate(organisation.id, id), Option.some(key))
        const revoked = { ...key, revoked_at: at(1) }
        yield* store.update(revoked)
        none(yield* store.findActive(secret_hash))
        same(yield* store.findForUpdate(organisation.id, id), Option.some(revoked))
      }
    ),

    law("the keys that open something are those that can be revoked", function* ({ store, id }) {
      const keys = yield* Effect.forEach([null, at(1)], (revoked_at) => keyOf(id, { revoked_at }))
      const asked = { machine, command: { _tag: "Revoke", at: at(2) } } as const
      meetRow(asked, keys)
      for (const key of keys) {
        yield* store.insert(key)
        assert.strictEqual(Option.isSome(yield* store.findActive(key.secret_hash)), isTaken(asked, key))
        yield* store.update(after(asked, key))
        none(yield* store.findActive(key.secret_hash))
        same(yield* store.findForUpdate(id, key.id), Option.some(after(asked, key)))
      }
    }),

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
