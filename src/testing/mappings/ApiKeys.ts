import * as ApiKey from "../../domain/access/ApiKey.ts"
import { charity, modelOf, noChange, real, stateOf, timedCommand } from "./Charity.ts"

/** API keys that operators revoke, beside {@link ApiKey.machine}. To revoke one again changes nothing. */
export const apiKeys = modelOf(ApiKey.machine, (driven) => ({
  commands: timedCommand("Revoke"),
  fields: Object.keys(ApiKey.ApiKeyRecord.fields),
  open: async () => {
    const { calls, caller } = await charity(driven)
    const { create, list, revoke } = driven.almoner.apiKeys
    const born = stateOf(ApiKey.ApiKey, await create(caller, { name: "Till", scope: "WRITE" }), { secret_hash: "" })
    const read = async (id: string) => (await list(caller)).find((key) => key.id === id) ?? {}
    return real(driven, calls, born, read, () => revoke(caller, born.id))
  },
  answers: (decides, state, command) => (state.revoked_at === null ? decides(state, command) : noChange(state))
}))
