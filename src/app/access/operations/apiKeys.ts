import { Schema } from "effect"
import { ApiKeyRecord, DisclosedApiKey } from "../../../domain/access/ApiKey.ts"
import { ApiKeys, asks, takes } from "../ApiKeys.ts"
import { operationsOf } from "../steps/Operation.ts"

const apiKeys = operationsOf(ApiKeys)

/** The operations of {@link ApiKeys}. */
export const apiKeyOperations = {
  create: apiKeys.forOperator({
    asks: asks.create,
    takes: takes.create,
    gives: DisclosedApiKey,
    run: (use, input) => use.create(input)
  }),
  rotate: apiKeys.forOperator({
    asks: asks.rotate,
    takes: takes.rotate,
    gives: DisclosedApiKey,
    run: (use, key) => use.rotate(key)
  }),
  revoke: apiKeys.forOperator({
    asks: asks.revoke,
    takes: takes.revoke,
    gives: ApiKeyRecord,
    run: (use, key) => use.revoke(key)
  }),
  list: apiKeys.forOperator({
    asks: asks.list,
    takes: takes.list,
    gives: Schema.Array(ApiKeyRecord),
    run: (use) => use.list()
  })
}
