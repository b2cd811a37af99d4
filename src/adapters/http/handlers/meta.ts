import { Effect } from "effect"
import { CurrentCaller } from "../../../ports/CurrentCaller.ts"
import type { MetaGroup } from "../groups/meta.ts"
import type { HandlersOf } from "../Handler.ts"
import { Settings } from "../Settings.ts"

/** service-spec, GET /health and GET /whoami. */
export const metaHandlers = Effect.gen(function* () {
  const { version } = yield* Settings
  const handlers: HandlersOf<typeof MetaGroup> = {
    health: { run: ({ request_id }) => Effect.succeed({ status: "ok", version, request_id }) },
    whoami: {
      run: () => Effect.map(CurrentCaller, ({ organisation, scope }) => ({ organisation_id: organisation.id, scope }))
    }
  }
  return handlers
})
