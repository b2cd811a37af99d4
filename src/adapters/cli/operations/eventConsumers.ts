import { Effect, Schema } from "effect"
import { Argument } from "effect/cli"
import { ConsumerDetail, EventConsumers, eventConsumerOperations } from "../../../app/outbox/EventConsumers.ts"
import { EventId } from "../../../domain/kernel/Ids.ts"
import { NotFound } from "../../../domain/kernel/Rejection.ts"
import { ConsumedEvent } from "../../../domain/outbox/ConsumedEvent.ts"
import { ConsumerRecord } from "../../../domain/outbox/EventConsumer.ts"
import { type Operation, ofInstallation } from "../Operation.ts"
import { Empty, listOf } from "./Parameters.ts"

const consumer = Argument.withDescription(Argument.String("name"), "The name of the consumer")
const event = Argument.withDescription(Argument.String("event"), "The id of the event")

const Named = Schema.Struct({ name: Schema.String })
const OneEvent = Schema.Struct({ name: Schema.String, event: Schema.String })

const asId = Schema.decodeUnknownOption(EventId)

const eventId = (text: string) =>
  Effect.mapError(Effect.fromOption(asId(text)), () => new NotFound({ record: "event of this consumer", id: text }))

export const eventConsumerCommands: ReadonlyArray<Operation> = [
  ofInstallation({
    group: "consumer",
    name: "list",
    description: eventConsumerOperations.list.summary,
    parameters: {},
    input: Empty,
    output: listOf(ConsumerRecord),
    columns: ["name", "behind", "waiting", "parked", "created_at"],
    run: () => EventConsumers.use(({ list }) => Effect.map(list, (data) => ({ data })))
  }),
  ofInstallation({
    group: "consumer",
    name: "show",
    description: eventConsumerOperations.read.summary,
    parameters: { name: consumer },
    input: Named,
    output: ConsumerDetail,
    run: ({ name }) => EventConsumers.use((consumers) => consumers.read(name))
  }),
  ofInstallation({
    group: "consumer",
    name: "retry",
    description: eventConsumerOperations.retry.summary,
    parameters: { name: consumer, event },
    input: OneEvent,
    output: ConsumedEvent,
    run: ({ event, name }) => Effect.flatMap(eventId(event), (id) => EventConsumers.use(({ retry }) => retry(name, id)))
  }),
  ofInstallation({
    group: "consumer",
    name: "skip",
    description: eventConsumerOperations.skip.summary,
    parameters: { name: consumer, event },
    input: OneEvent,
    output: ConsumedEvent,
    run: ({ event, name }) => Effect.flatMap(eventId(event), (id) => EventConsumers.use(({ skip }) => skip(name, id)))
  }),
  ofInstallation({
    group: "consumer",
    name: "delete",
    description: eventConsumerOperations.delete.summary,
    parameters: { name: consumer },
    input: Named,
    output: Named,
    run: ({ name }) => EventConsumers.use((consumers) => consumers.delete(name))
  })
]
