import { Context, Effect, Layer } from "effect"
import { reads } from "../../domain/access/Policy.ts"
import { EventId } from "../../domain/kernel/Ids.ts"
import type { ListQuery } from "../../domain/kernel/Listing.ts"
import * as Event from "../../domain/outbox/Event.ts"
import { Outbox } from "../../ports/outbox/Outbox.ts"
import { checked } from "../access/steps/Checked.ts"
import { id, query } from "../access/steps/Operation.ts"
import { permitted } from "../access/steps/Permission.ts"
import { orNotFound } from "../kernel/steps/RecordChecks.ts"

/** The scope and plan that each operation requires. decisions, section 3. */
export const asks = {
  read: reads("events.read"),
  list: reads("events.list")
}

/** What each use case takes: the service refuses anything else. */
export const takes = {
  read: [id(EventId, "event")],
  list: [query(Event.listing)]
} as const

/** Reads what happened. */
export class Events extends Context.Service<Events>()("almoner/app/Events", {
  make: Effect.gen(function* () {
    const outbox = yield* Outbox

    const read = Effect.fn("Events.read")(function* (id: EventId) {
      const caller = yield* permitted(asks.read)
      return yield* orNotFound("event", id)(outbox.find(caller.organisation.id, id))
    })

    const list = Effect.fn("Events.list")(function* (query: ListQuery) {
      const caller = yield* permitted(asks.list)
      return yield* outbox.list(caller.organisation.id, query)
    })

    return checked(takes, { read, list })
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
