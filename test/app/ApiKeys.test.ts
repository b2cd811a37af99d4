import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import * as Tokens from "../../src/adapters/crypto/Tokens.ts"
import * as Stores from "../../src/adapters/memory/Stores.ts"
import { ApiKeys } from "../../src/app/access/ApiKeys.ts"
import { ChangeLog } from "../../src/app/access/change/Change.ts"
import { KeyCache } from "../../src/app/access/key/KeyCache.ts"
import { ApiKeyStore, AuditStore } from "../../src/ports.ts"
import { newOrganisation } from "../../src/testing/conformance/Records.ts"
import { forAll } from "../../src/testing/conformance/Suite.ts"
import { secretBox } from "../conformance/Seal.ts"
import { fieldsOf } from "../support/Answer.ts"
import { asOperator } from "../support/Tenant.ts"

const world = ApiKeys.layer.pipe(
  Layer.provide(Layer.merge(ChangeLog.layer, KeyCache.layer)),
  Layer.provideMerge(Layer.merge(Layer.provide(Stores.layer, secretBox), Tokens.layer))
)

it.effect("whatever is done to a key is audited once, and what was revoked stays as it was", () =>
  forAll(
    30,
    fc.array(fc.constantFrom("rotate" as const, "revoke" as const), { maxLength: 6 }),
    Effect.fnUntraced(function* (steps) {
      const keys = yield* ApiKeys
      const store = yield* ApiKeyStore
      const organisation = yield* newOrganisation()
      const { id, secret } = yield* keys.create({ name: "Import", scope: "READ" }).pipe(asOperator(organisation))
      const operations = ["api_keys.create"]
      let [generation, text] = [1, secret]
      let revokedAt: DateTime.Utc | undefined
      for (const step of steps) {
        yield* TestClock.adjust("1 minute")
        if (step === "revoke") {
          const revoked = yield* keys.revoke(id).pipe(asOperator(organisation))
          revokedAt ??= yield* DateTime.now
          assert.deepStrictEqual(revoked.revoked_at, revokedAt)
          operations.push("api_keys.revoke")
        } else if (revokedAt !== undefined) {
          const refusal = yield* Effect.flip(keys.rotate(id).pipe(asOperator(organisation)))
          assert.deepInclude({ ...refusal }, { _tag: "RecordArchived", ending: "revoked" })
        } else {
          const rotated = yield* keys.rotate(id).pipe(asOperator(organisation))
          assert.notStrictEqual(rotated.secret, text)
          text = rotated.secret
          generation += 1
          operations.push("api_keys.rotate")
        }
      }
      const kept = Option.getOrThrow(yield* store.findForUpdate(organisation.id, id))
      assert.strictEqual(kept.generation, generation)
      assert.strictEqual(kept.last4, text.slice(-4))
      const entries = yield* AuditStore.use((audit) => audit.list(organisation.id, 100))
      assert.sameMembers(fieldsOf(entries, "operation"), operations)
    })
  ).pipe(Effect.provide(world))
)
