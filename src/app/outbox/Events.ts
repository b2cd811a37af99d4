import { Context, Effect, Layer } from "effect"
import type { EventId } from "../../domain/kernel/Ids.ts"
import type { ListQuery } from "../../domain/kernel/Listing.ts"
import { Outbox } from "../../ports/outbox/Outbox.ts"
import { permitted } from "../access/steps/Permission.ts"
import { orNotFound } from "../kernel/steps/RecordChecks.ts"

/** Reads what happened. */
export class Events extends Context.Service<Events>()("almoner/app/Events", {
  make: Effect.gen(function* () {
    const outbox = yield* Outbox

    const read = Effect.fn("Events.read")(function* (id: EventId) {
      const caller = yield* permitted("events.read")
      return yield* orNotFound("event", id)(outbox.find(caller.organisation.id, id))
    })

    const list = Effect.fn("Events.list")(function* (query: ListQuery) {
      const caller = yield* permitted("events.list")
      return yield* outbox.list(caller.organisation.id, query)
    })

    return { read, list } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
