import { Context, DateTime, Effect, Layer } from "effect"
import * as ApiKey from "../../domain/access/ApiKey.ts"
import type { ApiKeyId, OrganisationId } from "../../domain/kernel/Ids.ts"
import * as Machine from "../../domain/kernel/Machine.ts"
import { RecordArchived } from "../../domain/kernel/Rejection.ts"
import { ApiKeyStore } from "../../ports/access/ApiKeyStore.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { orNotFound } from "../kernel/steps/RecordChecks.ts"
import { Journal } from "./steps/Journal.ts"
import { KeyCache } from "./steps/KeyCache.ts"
import { permittedToStaff } from "./steps/Permission.ts"

/** A key together with its text: shown once. */
export type Disclosed = ApiKey.ApiKey & { readonly secret: string }

/** Makes, rotates and revokes API keys. decisions, section 1: API keys. */
export class ApiKeys extends Context.Service<ApiKeys>()("almoner/app/ApiKeys", {
  make: Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const journal = yield* Journal
    const tokens = yield* Tokens
    const transaction = yield* Transaction
    const cache = yield* KeyCache

    const newSecret = Effect.fnUntraced(function* (is_sandbox: boolean) {
      const secret = ApiKey.assemble(is_sandbox, yield* tokens.base62(ApiKey.secretDigits))
      return { secret, secret_hash: yield* tokens.digest(secret), last4: secret.slice(-4) }
    })

    /** Makes a key of the caller's organisation and answers it with its text. For operators. */
    const create = Effect.fn("ApiKeys.create")(function* (input: {
      readonly name: string
      readonly scope: ApiKey.Scope
    }) {
      const { organisation } = yield* permittedToStaff("api_keys.create")
      const at = yield* DateTime.now
      const { secret, ...hashed } = yield* newSecret(organisation.is_sandbox)
      const id = yield* tokens.id("apiKey")
      const { state: key } = Machine.birth(ApiKey.machine, ApiKey.births.made, () => ({
        id,
        organisation_id: organisation.id,
        name: input.name.trim(),
        scope: input.scope,
        generation: 1,
        ...hashed,
        created_at: at,
        rotated_at: null,
        revoked_at: null
      }))
      yield* store.insert(key)
      yield* journal.write({ operation: "api_keys.create", subject_id: key.id, at, events: [] })
      return { ...key, secret }
    }, transaction.run)

    const findForUpdate = Effect.fnUntraced(function* (organisation_id: OrganisationId, id: ApiKeyId) {
      return yield* store.findForUpdate(organisation_id, id).pipe(orNotFound("API key", id))
    })

    /** Gives a key a new text and raises its generation: the old text stops, idempotency starts anew. For operators. */
    const rotate = Effect.fn("ApiKeys.rotate")(function* (id: ApiKeyId) {
      const { organisation } = yield* permittedToStaff("api_keys.rotate")
      const before = yield* findForUpdate(organisation.id, id)
      if (before.revoked_at !== null) return yield* new RecordArchived({ record: "API key", id, ending: "revoked" })
      const at = yield* DateTime.now
      const { secret, ...hashed } = yield* newSecret(organisation.is_sandbox)
      const after: ApiKey.ApiKey = { ...before, ...hashed, generation: before.generation + 1, rotated_at: at }
      yield* store.update(after)
      yield* journal.write({ operation: "api_keys.rotate", subject_id: id, at, events: [] })
      yield* transaction.afterCommit(cache.forget)
      return { ...after, secret }
    }, transaction.run)

    /** Revokes a key for good. A repetition leaves it as it is. For operators. */
    const revoke = Effect.fn("ApiKeys.revoke")(function* (id: ApiKeyId) {
      const { organisation } = yield* permittedToStaff("api_keys.revoke")
      const before = yield* findForUpdate(organisation.id, id)
      const at = yield* DateTime.now
      const after =
        before.revoked_at === null
          ? (yield* Effect.fromResult(Machine.decide(ApiKey.machine, before, { _tag: "Revoke", at }))).state
          : before
      yield* store.update(after)
      yield* journal.write({ operation: "api_keys.revoke", subject_id: id, at, events: [] })
      yield* transaction.afterCommit(cache.forget)
      return after
    }, transaction.run)

    /** The keys of the caller's organisation, oldest first. For operators. */
    const list = Effect.fn("ApiKeys.list")(function* () {
      const { organisation } = yield* permittedToStaff("api_keys.list")
      return yield* store.list(organisation.id)
    })

    return { create, rotate, revoke, list } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
