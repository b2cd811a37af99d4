import { EventId } from "../../../domain/kernel/Ids.ts"
import * as Event from "../../../domain/outbox/Event.ts"
import { id, operationsOf, pageOf, query } from "../../access/steps/Operation.ts"
import { asks, Events } from "../Events.ts"

const events = operationsOf(Events)

/** The operations of {@link Events}. */
export const eventOperations = {
  read: events.forCaller({
    asks: asks.read,
    takes: [id(EventId, "event")],
    gives: Event.EventRecord,
    run: (use, event) => use.read(event)
  }),
  list: events.forCaller({
    asks: asks.list,
    takes: [query(Event.listing)],
    gives: pageOf(Event.EventRecord),
    run: (use, asked) => use.list(asked)
  })
}
