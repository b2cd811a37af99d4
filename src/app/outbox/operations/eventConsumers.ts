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
  list: consumers.forInstallation({ takes: [], gives: Schema.Array(ConsumerRecord), run: ({ list }) => list }),
  read: consumers.forInstallation({ takes: takes.read, gives: ConsumerDetail, run: (use, asked) => use.read(asked) }),
  retry: consumers.forInstallation({
    takes: takes.retry,
    gives: ConsumedEvent,
    run: ({ retry }, consumer, event_id) => retry(consumer, event_id)
  }),
  skip: consumers.forInstallation({
    takes: takes.skip,
    gives: ConsumedEvent,
    run: ({ skip }, consumer, event_id) => skip(consumer, event_id)
  }),
  delete: consumers.forInstallation({
    takes: takes.delete,
    gives: Schema.Struct({ name: Schema.String }),
    run: (use, consumer) => use.delete(consumer)
  })
}
