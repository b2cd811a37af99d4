import { Schema } from "effect"
import { EventId } from "../../../domain/kernel/Ids.ts"
import { ConsumedEvent } from "../../../domain/outbox/ConsumedEvent.ts"
import { ConsumerRecord } from "../../../domain/outbox/EventConsumer.ts"
import { id, operationsOf, value } from "../../access/steps/Operation.ts"
import { EventConsumers } from "../EventConsumers.ts"

const consumers = operationsOf(EventConsumers)

const name = value("name", Schema.String)

/** A consumer with the events that have failed or are parked, the first hundred. */
export const ConsumerDetail = ConsumerRecord.mapFields((fields) => ({
  ...fields,
  events: Schema.Array(ConsumedEvent)
})).annotate({ identifier: "EventConsumerDetail" })

/** The operations of {@link EventConsumers}. */
export const eventConsumerOperations = {
  list: consumers.forInstallation({ takes: [], gives: Schema.Array(ConsumerRecord), run: ({ list }) => list }),
  show: consumers.forInstallation({ takes: [name], gives: ConsumerDetail, run: ({ show }, asked) => show(asked) }),
  retry: consumers.forInstallation({
    takes: [name, id(EventId, "event")],
    gives: ConsumedEvent,
    run: ({ retry }, consumer, event_id) => retry(consumer, event_id)
  }),
  skip: consumers.forInstallation({
    takes: [name, id(EventId, "event")],
    gives: ConsumedEvent,
    run: ({ skip }, consumer, event_id) => skip(consumer, event_id)
  }),
  remove: consumers.forInstallation({
    takes: [name],
    gives: Schema.Struct({ name: Schema.String }),
    run: ({ remove }, consumer) => remove(consumer)
  })
}
