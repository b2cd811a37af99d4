import { Schema } from "effect"
import { ApiKeyRecord, DisclosedApiKey, Scope } from "../../../domain/access/ApiKey.ts"
import { ApiKeyId } from "../../../domain/kernel/Ids.ts"
import { FilledName } from "../../../domain/kernel/Text.ts"
import { ApiKeys, asks } from "../ApiKeys.ts"
import { body, id, operationsOf } from "../steps/Operation.ts"

const apiKeys = operationsOf(ApiKeys)

const apiKeyId = id(ApiKeyId, "API key")

/** The operations of {@link ApiKeys}. */
export const apiKeyOperations = {
  create: apiKeys.forOperator({
    asks: asks.create,
    takes: [body(Schema.Struct({ name: FilledName, scope: Scope }))],
    gives: DisclosedApiKey,
    run: (use, input) => use.create(input)
  }),
  rotate: apiKeys.forOperator({
    asks: asks.rotate,
    takes: [apiKeyId],
    gives: DisclosedApiKey,
    run: (use, key) => use.rotate(key)
  }),
  revoke: apiKeys.forOperator({
    asks: asks.revoke,
    takes: [apiKeyId],
    gives: ApiKeyRecord,
    run: (use, key) => use.revoke(key)
  }),
  list: apiKeys.forOperator({
    asks: asks.list,
    takes: [],
    gives: Schema.Array(ApiKeyRecord),
    run: (use) => use.list()
  })
}
