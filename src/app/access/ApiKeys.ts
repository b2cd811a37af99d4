import { Effect, Schema } from "effect"
import * as ApiKey from "../../domain/access/ApiKey.ts"
import { ApiKeyRecord, DisclosedApiKey, Scope } from "../../domain/access/ApiKey.ts"
import { ApiKeyId } from "../../domain/kernel/Ids.ts"
import { birth } from "../../domain/kernel/Machine.ts"
import { RecordArchived } from "../../domain/kernel/Rejection.ts"
import * as Rule from "../../domain/kernel/Rule.ts"
import { FilledName } from "../../domain/kernel/Text.ts"
import { ApiKeyStore } from "../../ports/access/ApiKeyStore.ts"
import { realNow } from "../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { Service } from "../kernel/service/Service.ts"
import { requireStaff } from "./caller/CallerContext.ts"
import { keptIn, makeChange } from "./change/Change.ts"
import { KeyCache } from "./key/KeyCache.ts"
import { body, id, operationsOf } from "./operation/Operation.ts"
import * as Row from "./operation/OperationRow.ts"
import { checkedService } from "./operation/ServiceChecks.ts"

/** A key with its secret, which is shown once. */
export type KeyWithSecret = ApiKey.ApiKey & { readonly secret: string }

const isActive = (key: ApiKey.ApiKey): boolean => Rule.holds(ApiKey.active, key)

const refuseRevoked = (key: ApiKey.ApiKey): Effect.Effect<void, RecordArchived> =>
  isActive(key) ? Effect.void : Effect.fail(new RecordArchived({ record: "API key", id: key.id, ending: "revoked" }))

const apiKeyId = id(ApiKeyId, "API key")

const operations = Row.table("api_keys", {
  create: Row.staffChange(
    "Make an API key and show it once",
    [body(Schema.Struct({ name: FilledName, scope: Scope }).annotate({ identifier: "NewApiKey" }))],
    DisclosedApiKey
  ),
  rotate: Row.staffChange(
    "Give a key a new text and show it once: the old one stops within five seconds",
    [apiKeyId],
    DisclosedApiKey
  ),
  revoke: Row.staffChange("Revoke a key for good: it stops within five seconds", [apiKeyId], ApiKeyRecord),
  list: Row.staffRead("List the keys of an organisation, oldest first", [], Schema.Array(ApiKeyRecord))
})

/** Makes, rotates and revokes API keys. decisions, section 1: API keys. */
export class ApiKeys extends Service<ApiKeys>()("almoner/app/ApiKeys", function* () {
  const store = yield* ApiKeyStore
  const tokens = yield* Tokens
  const transaction = yield* Transaction
  const cache = yield* KeyCache

  const change = (yield* makeChange)({
    machine: ApiKey.machine,
    ...keptIn("API key", store),
    refuseEnded: refuseRevoked
  })

  const newSecret = Effect.fnUntraced(function* (is_sandbox: boolean) {
    const secret = ApiKey.assemble(is_sandbox, yield* tokens.base62(ApiKey.secretDigits))
    return { secret, secret_hash: yield* tokens.digest(secret), last4: secret.slice(-4) }
  })

  /** Makes a key for the caller's organisation; the answer shows its secret. For operators. */
  const create = Effect.fn("ApiKeys.create")(function* (input: {
    readonly name: string
    readonly scope: ApiKey.Scope
  }) {
    const { organisation } = yield* requireStaff(operations.create)
    const at = yield* realNow
    const { secret, ...hashed } = yield* newSecret(organisation.is_sandbox)
    const id = yield* tokens.id("apiKey")
    const born = birth(ApiKey.machine, ApiKey.births.made, () => ({
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
    yield* store.insert(born.state)
    yield* change.announce(operations.create.requires.name, born, { organisation, at })
    return { ...born.state, secret }
  }, transaction.run)

  /** Gives a key a new text and raises its generation: the old text stops, idempotency starts anew. For operators. */
  const rotate = Effect.fn("ApiKeys.rotate")(function* (id: ApiKeyId) {
    const { organisation } = yield* requireStaff(operations.rotate)
    const held = yield* change.take(organisation, id)
    yield* refuseRevoked(held.before)
    const { secret, ...hashed } = yield* newSecret(organisation.is_sandbox)
    const { state } = yield* change.settle(operations.rotate.requires.name, held, [], (key) => ({
      ...key,
      ...hashed,
      generation: key.generation + 1,
      rotated_at: held.at
    }))
    yield* transaction.afterCommit(cache.forget)
    return { ...state, secret }
  }, transaction.run)

  /** Revokes a key for good. Repeating it changes nothing. For operators. */
  const revoke = Effect.fn("ApiKeys.revoke")(function* (id: ApiKeyId) {
    const { organisation } = yield* requireStaff(operations.revoke)
    const held = yield* change.take(organisation, id)
    const revoking: ApiKey.Command = { _tag: "Revoke", at: held.at }
    const { state } = yield* change.settle(
      operations.revoke.requires.name,
      held,
      isActive(held.before) ? [revoking] : []
    )
    yield* transaction.afterCommit(cache.forget)
    return state
  }, transaction.run)

  /** The keys of the caller's organisation, oldest first. For operators. */
  const list = Effect.fn("ApiKeys.list")(function* () {
    const { organisation } = yield* requireStaff(operations.list)
    return yield* store.list(organisation.id)
  })

  return checkedService(operations, { create, rotate, revoke, list })
}) {}

/** The operations of {@link ApiKeys}. */
export const apiKeyOperations = operationsOf(ApiKeys, operations)
