import { Schema } from "effect"
import { ApiKeyRecord, DisclosedApiKey, Scope } from "../../../domain/access/ApiKey.ts"
import { ApiKeyId } from "../../../domain/kernel/Ids.ts"
import { FilledName } from "../../../domain/kernel/Text.ts"
import { ApiKeys } from "../ApiKeys.ts"
import { body, id, operationsOf } from "../steps/Operation.ts"

const apiKeys = operationsOf(ApiKeys)

const apiKeyId = id(ApiKeyId, "API key")

/** The operations of {@link ApiKeys}. */
export const apiKeyOperations = {
  create: apiKeys.forOperator({
    name: "api_keys.create",
    takes: [body(Schema.Struct({ name: FilledName, scope: Scope }))],
    gives: DisclosedApiKey,
    run: (use, input) => use.create(input)
  }),
  rotate: apiKeys.forOperator({
    name: "api_keys.rotate",
    takes: [apiKeyId],
    gives: DisclosedApiKey,
    run: (use, key) => use.rotate(key)
  }),
  revoke: apiKeys.forOperator({
    name: "api_keys.revoke",
    takes: [apiKeyId],
    gives: ApiKeyRecord,
    run: (use, key) => use.revoke(key)
  }),
  list: apiKeys.forOperator({
    name: "api_keys.list",
    takes: [],
    gives: Schema.Array(ApiKeyRecord),
    run: (use) => use.list()
  })
}
