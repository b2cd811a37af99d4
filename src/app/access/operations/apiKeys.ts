import { Schema } from "effect"
import { ApiKeyRecord, DisclosedApiKey } from "../../../domain/access/ApiKey.ts"
import { ApiKeys, asks, takes } from "../ApiKeys.ts"
import { operationsOf } from "../steps/Operation.ts"

const apiKeys = operationsOf(ApiKeys)

/** The operations of {@link ApiKeys}. */
export const apiKeyOperations = {
  create: apiKeys.forOperator({
    says: "Make an API key and show it once",
    example: [{ name: "Website", scope: "WRITE" }],
    asks: asks.create,
    takes: takes.create,
    gives: DisclosedApiKey,
    run: (use, input) => use.create(input)
  }),
  rotate: apiKeys.forOperator({
    says: "Give a key a new text and show it once: the old one stops within five seconds",
    asks: asks.rotate,
    takes: takes.rotate,
    gives: DisclosedApiKey,
    run: (use, key) => use.rotate(key)
  }),
  revoke: apiKeys.forOperator({
    says: "Revoke a key for good: it stops within five seconds",
    asks: asks.revoke,
    takes: takes.revoke,
    gives: ApiKeyRecord,
    run: (use, key) => use.revoke(key)
  }),
  list: apiKeys.forOperator({
    says: "List the keys of an organisation, oldest first",
    asks: asks.list,
    takes: takes.list,
    gives: Schema.Array(ApiKeyRecord),
    run: (use) => use.list()
  })
}
