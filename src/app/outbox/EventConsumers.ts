import { Effect, Option, Schema } from "effect"
import { EventId } from "../../domain/kernel/Ids.ts"
import { decide } from "../../domain/kernel/Machine.ts"
import { NotFound } from "../../domain/kernel/Rejection.ts"
import { GivenId } from "../../domain/kernel/Text.ts"
import * as ConsumedEvent from "../../domain/outbox/ConsumedEvent.ts"
import { ConsumerRecord } from "../../domain/outbox/EventConsumer.ts"
import { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { realNow } from "../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { EventConsumerStore } from "../../ports/outbox/EventConsumerStore.ts"
import { actingIn } from "../access/caller/CallerContext.ts"
import { ChangeLog } from "../access/change/Change.ts"
import { id, operationsOf, value } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { checkedService } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"

const shownEvents = 100

const consumerName = value("name", GivenId)

const eventId = id(EventId, "event")

/** A consumer with the events that have failed or are parked, the first hundred. */
export const ConsumerDetail = ConsumerRecord.mapFields((fields) => ({
  ...fields,
  events: Schema.Array(ConsumedEvent.ConsumedEvent)
})).annotate({ identifier: "EventConsumerDetail" })

const operations = Row.table("event_consumers", {
  list: Row.keeper(
    "List the consumers of events in hosts' processes, with what waits for each",
    [],
    Schema.Array(ConsumerRecord)
  ),
  read: Row.keeper(
    "Show a consumer with the events that it failed to handle, the first hundred",
    [consumerName],
    ConsumerDetail
  ),
  retry: Row.keeper(
    "Have a consumer try an event anew: at once, with six attempts",
    [consumerName, eventId],
    ConsumedEvent.ConsumedEvent
  ),
  skip: Row.keeper(
    "Give an event up for a consumer, so that it goes on with later ones of the same record",
    [consumerName, eventId],
    ConsumedEvent.ConsumedEvent
  ),
  delete: Row.keeper(
    "Forget a consumer that is not used any more, with all that it has not handled",
    [consumerName],
    Schema.Struct({ name: Schema.String })
  )
})

/** The consumers of events, and the events that their handlers could not handle, for operators. docs/decisions/0052. */
export class EventConsumers extends Service<EventConsumers>()("almoner/app/EventConsumers", function* () {
  const store = yield* EventConsumerStore
  const organisations = yield* OrganisationStore
  const changeLog = yield* ChangeLog
  const tokens = yield* Tokens
  const transaction = yield* Transaction

  /** Every consumer, by name. */
  const list = store.list

  /** A consumer, with the first of its events that have failed or are parked. */
  const read = Effect.fn("EventConsumers.read")(function* (name: string) {
    const found = yield* store.find(name)
    if (Option.isNone(found)) return yield* new NotFound({ record: "event consumer", id: name })
    return { ...found.value, events: yield* store.waiting(name, { limit: shownEvents, failed: true }) }
  })

  const perform = (command: "Resume" | "Skip", operation: string) =>
    Effect.fnUntraced(function* (name: string, id: EventId) {
      const found = yield* store.findForUpdate(name, id)
      if (Option.isNone(found)) return yield* new NotFound({ record: "event of this consumer", id })
      const at = yield* store.now
      const { state } = yield* Effect.fromResult(decide(ConsumedEvent.machine, found.value, { _tag: command, at }))
      yield* store.update(state)
      const organisation = yield* organisations.find(state.organisation_id)
      if (Option.isSome(organisation)) {
        const entry = { operation, subject_id: id, at: yield* realNow, events: [] }
        const acting = actingIn(organisation.value, { type: "SYSTEM", id: name }, yield* tokens.id("request"))
        yield* acting(changeLog.write(entry))
      }
      return state
    }, transaction.run)

  /** Has an event tried anew: at once, with six attempts. */
  const retry = perform("Resume", "event_consumers.retry")

  /** Gives an event up, for this consumer only: later events of its subject go on. */
  const skip = perform("Skip", "event_consumers.skip")

  /** Forgets a consumer with all that it has not handled. */
  const remove = Effect.fn("EventConsumers.delete")(function* (name: string) {
    if (!(yield* store.remove(name))) return yield* new NotFound({ record: "event consumer", id: name })
    return { name }
  })

  return checkedService(operations, { list, read, retry, skip, delete: remove })
}) {}

/** The operations of {@link EventConsumers}. */
export const eventConsumerOperations = operationsOf(EventConsumers, operations)
