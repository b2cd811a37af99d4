import { Effect, Schema } from "effect"
import { Flag } from "effect/cli"
import { ApiKeys, apiKeyOperations } from "../../../app/access/ApiKeys.ts"
import { ApiKeyRecord, DisclosedApiKey, Scope } from "../../../domain/access/ApiKey.ts"
import { type Operation, ofOrganisation } from "../Operation.ts"
import { runAgainst } from "../Over.ts"
import { Empty, FilledName, idOf, listOf, shownOnce, withDescription } from "./Parameters.ts"

export const apiKeyCommands: ReadonlyArray<Operation> = [
  ofOrganisation({
    group: "key",
    name: "create",
    description: apiKeyOperations.create.summary,
    parameters: {
      name: withDescription(Flag.String("name"), "What the key is for"),
      scope: withDescription(Flag.Literals("scope", Scope.literals), "What it may do: WRITE includes READ")
    },
    input: Schema.Struct({ name: FilledName, scope: Scope }),
    output: DisclosedApiKey,
    remark: shownOnce,
    run: ({ name, scope }) => ApiKeys.use((keys) => keys.create({ name: name.trim(), scope }))
  }),
  runAgainst(apiKeyOperations.rotate, {
    group: "key",
    name: "rotate",
    parameters: { id: idOf("key") },
    remark: shownOnce
  }),
  runAgainst(apiKeyOperations.revoke, { group: "key", name: "revoke", parameters: { id: idOf("key") } }),
  ofOrganisation({
    group: "key",
    name: "list",
    description: apiKeyOperations.list.summary,
    parameters: {},
    input: Empty,
    output: listOf(ApiKeyRecord),
    columns: ["id", "name", "scope", "last4", "generation", "created_at", "revoked_at"],
    run: () => ApiKeys.use((keys) => Effect.map(keys.list(), (data) => ({ data })))
  })
]
