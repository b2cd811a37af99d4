import { Effect, HashMap, Layer, Option } from "effect"
import { active } from "../../../domain/access/ApiKey.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { ApiKeyStore } from "../../../ports/access/ApiKeyStore.ts"
import { Memory } from "../Memory.ts"
import { oldestFirst } from "../Order.ts"
import { add, get, records, replace, type State } from "../State.ts"

const withSecret = (state: State, secret_hash: string) => {
  for (const keys of HashMap.values(state.apiKeys)) {
    for (const key of HashMap.values(keys)) {
      if (key.secret_hash !== secret_hash || !Rule.holds(active, key)) continue
      return Option.map(HashMap.get(state.organisations, key.organisation_id), (organisation) => ({
        key,
        organisation
      }))
    }
  }
  return Option.none()
}

/** API keys in memory. */
export const layer = Layer.effect(
  ApiKeyStore,
  Effect.map(Memory, (memory) =>
    ApiKeyStore.of({
      insert: (key) => memory.change((state) => ({ ...state, apiKeys: add(state.apiKeys, key) })),
      findActive: (secret_hash) => memory.read((state) => withSecret(state, secret_hash)),
      findForUpdate: (organisation_id, id) => memory.read((state) => get(state.apiKeys, organisation_id, id)),
      list: (organisation_id) =>
        memory.read((state) => Array.from(records(state.apiKeys, organisation_id)).sort(oldestFirst)),
      update: (key) => memory.change((state) => ({ ...state, apiKeys: replace(state.apiKeys, key) }))
    })
  )
)
