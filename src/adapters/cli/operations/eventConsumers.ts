import { Effect, Schema } from "effect"
import { Argument } from "effect/cli"
import { EventConsumers } from "../../../app/outbox/EventConsumers.ts"
import { ConsumerDetail } from "../../../app/outbox/operations/eventConsumers.ts"
import { EventId } from "../../../domain/kernel/Ids.ts"
import { NotFound } from "../../../domain/kernel/Rejection.ts"
import { ConsumedEvent } from "../../../domain/outbox/ConsumedEvent.ts"
import { ConsumerRecord } from "../../../domain/outbox/EventConsumer.ts"
import { type Operation, ofInstallation } from "../Operation.ts"
import { listOf, Nothing } from "./Parameters.ts"

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
    description: "List the consumers of events in hosts' processes, with what waits for each",
    parameters: {},
    input: Nothing,
    output: listOf(ConsumerRecord),
    columns: ["name", "behind", "waiting", "parked", "created_at"],
    run: () => EventConsumers.use(({ list }) => Effect.map(list, (data) => ({ data })))
  }),
  ofInstallation({
    group: "consumer",
    name: "show",
    description: "Show a consumer with the events that it failed to handle, the first hundred",
    parameters: { name: consumer },
    input: Named,
    output: ConsumerDetail,
    run: ({ name }) => EventConsumers.use((consumers) => consumers.read(name))
  }),
  ofInstallation({
    group: "consumer",
    name: "retry",
    description: "Have a consumer try an event anew: at once, with six attempts",
    parameters: { name: consumer, event },
    input: OneEvent,
    output: ConsumedEvent,
    run: ({ event, name }) => Effect.flatMap(eventId(event), (id) => EventConsumers.use(({ retry }) => retry(name, id)))
  }),
  ofInstallation({
    group: "consumer",
    name: "skip",
    description: "Give an event up for a consumer, so that it goes on with later ones of the same record",
    parameters: { name: consumer, event },
    input: OneEvent,
    output: ConsumedEvent,
    run: ({ event, name }) => Effect.flatMap(eventId(event), (id) => EventConsumers.use(({ skip }) => skip(name, id)))
  }),
  ofInstallation({
    group: "consumer",
    name: "delete",
    description: "Forget a consumer that is not used any more, with all that it has not handled",
    parameters: { name: consumer },
    input: Named,
    output: Named,
    run: ({ name }) => EventConsumers.use((consumers) => consumers.delete(name))
  })
]
