import { Schema } from "effect"
import { ConsumedEvent } from "../../../domain/outbox/ConsumedEvent.ts"
import { ConsumerRecord } from "../../../domain/outbox/EventConsumer.ts"
import { operationsOf } from "../../access/steps/Operation.ts"
import { EventConsumers, takes } from "../EventConsumers.ts"

const consumers = operationsOf(EventConsumers)

/** A consumer with the events that have failed or are parked, the first hundred. */
export const ConsumerDetail = ConsumerRecord.mapFields((fields) => ({
  ...fields,
  events: Schema.Array(ConsumedEvent)
})).annotate({ identifier: "EventConsumerDetail" })

/** The operations of {@link EventConsumers}. */
export const eventConsumerOperations = {
  list: consumers.forInstallation({
    says: "List the consumers of events in hosts' processes, with what waits for each",
    takes: [],
    gives: Schema.Array(ConsumerRecord),
    run: ({ list }) => list
  }),
  read: consumers.forInstallation({
    says: "Show a consumer with the events that it failed to handle, the first hundred",
    example: ["ledger"],
    takes: takes.read,
    gives: ConsumerDetail,
    run: (use, asked) => use.read(asked)
  }),
  retry: consumers.forInstallation({
    says: "Have a consumer try an event anew: at once, with six attempts",
    example: ["ledger", "evt_01jqz6x8h4e5vb9m2k7ncw3t5d"],
    takes: takes.retry,
    gives: ConsumedEvent,
    run: ({ retry }, consumer, event_id) => retry(consumer, event_id)
  }),
  skip: consumers.forInstallation({
    says: "Give an event up for a consumer, so that it goes on with later ones of the same record",
    example: ["ledger", "evt_01jqz6x8h4e5vb9m2k7ncw3t5d"],
    takes: takes.skip,
    gives: ConsumedEvent,
    run: ({ skip }, consumer, event_id) => skip(consumer, event_id)
  }),
  delete: consumers.forInstallation({
    says: "Forget a consumer that is not used any more, with all that it has not handled",
    example: ["ledger"],
    takes: takes.delete,
    gives: Schema.Struct({ name: Schema.String }),
    run: (use, consumer) => use.delete(consumer)
  })
}
