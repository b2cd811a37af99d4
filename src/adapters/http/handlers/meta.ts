import { Effect } from "effect"
import { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import type { MetaGroup } from "../endpoints/access/meta.ts"
import type { HandlersOf } from "../pipeline/Handler.ts"
import { Settings } from "../pipeline/Settings.ts"

/** That the service is up. The edge answers it before it asks for a key. service-spec, GET /health. */
export const healthOf = (version: string, request_id: string) => ({ status: "ok", version, request_id }) as const

/** service-spec, GET /health and GET /whoami. */
export const metaHandlers = Effect.gen(function* () {
  const { version } = yield* Settings
  const handlers: HandlersOf<typeof MetaGroup> = {
    health: { run: ({ request_id }) => Effect.succeed(healthOf(version, request_id)) },
    whoami: {
      run: () => Effect.map(CurrentCaller, ({ organisation, scope }) => ({ organisation_id: organisation.id, scope }))
    }
  }
  return handlers
})
