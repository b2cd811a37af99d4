import * as Event from "../../../domain/outbox/Event.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, Events, takes } from "../Events.ts"

const events = operationsOf(Events)

/** The operations of {@link Events}. */
export const eventOperations = {
  read: events.forCaller({
    asks: asks.read,
    takes: takes.read,
    gives: Event.EventRecord,
    run: (use, event) => use.read(event)
  }),
  list: events.forCaller({
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(Event.EventRecord),
    run: (use, asked) => use.list(asked)
  }),
  emit: events.forCaller({
    says: "Write an event of a type that the host declares: it is listed, delivered and handed to handlers as any other",
    example: [{ type: "x.pledge.signed", data: { id: "pledge_1", amount_cents: 5000 } }],
    asks: asks.emit,
    keyed: true,
    takes: takes.emit,
    gives: Event.EventRecord,
    run: (use, input) => use.emit(input),
    prepare: (use, input) => use.prepareEmit(input)
  })
}
