import { Effect } from "effect"
import { ContactLogs } from "../../../app/giving/ContactLogs.ts"
import type { ContactLogsGroup } from "../endpoints/giving/contactLogs.ts"
import type { HandlersOf } from "../pipeline/Handler.ts"

export const contactLogsHandlers = Effect.gen(function* () {
  const logs = yield* ContactLogs
  const handlers: HandlersOf<typeof ContactLogsGroup> = {
    create: { run: ({ params, payload }) => logs.create(params.id, payload) },
    list: { run: ({ list, params }) => logs.list(params.id, list) },
    read: { run: ({ params }) => logs.read(params.id, params.log_id) },
    update: { run: ({ params, payload }) => logs.update(params.id, params.log_id, payload) },
    delete: { run: ({ params }) => logs.remove(params.id, params.log_id) }
  }
  return handlers
})
