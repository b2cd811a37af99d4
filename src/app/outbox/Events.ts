import { Effect } from "effect"
import type { HostEventType } from "../../domain/kernel/HostEventType.ts"
import { EventId } from "../../domain/kernel/Ids.ts"
import { InvalidInput } from "../../domain/kernel/Rejection.ts"
import * as Event from "../../domain/outbox/Event.ts"
import { HostEmission, isHostEventType, jsonDataOf } from "../../domain/outbox/HostEvent.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { type DeclaredEventTypes, HostEvents } from "../../ports/outbox/HostEvents.ts"
import { Outbox } from "../../ports/outbox/Outbox.ts"
import { requireScope } from "../access/caller/CallerContext.ts"
import { ChangeLog } from "../access/change/Change.ts"
import { body, id, ofEventTypes, operationsOf, pageOf, query } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { listMethod } from "../access/operation/RecordReads.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"

const emitted = [body(HostEmission, Event.EventRecord)] as const

const operations = Row.table("events", {
  read: Row.read("Read an event", [id(EventId, "event")], Event.EventRecord),
  list: Row.read("List events", [ofEventTypes((own) => query(Event.listingAmong(own)))], pageOf(Event.EventRecord)),
  emit: Row.change(
    "Write an event of a type that the host declares: it is listed, delivered and handed to handlers as any other",
    emitted,
    Event.EventRecord
  )
})

/** All methods that are checked; what is prepared asks for permission by itself. */
export const methods = { ...operations, prepareEmit: { requires: null, input: operations.emit.input } }

const undeclared = (type: string, declared: DeclaredEventTypes) => {
  const known = declared.size === 0 ? "no type" : Array.from(declared.keys()).join(", ")
  return new InvalidInput({
    param: "type",
    message: `type must be declared, and ${type} is not: the option events of Almoner.open declares ${known}.`
  })
}

/** Reads events, and emits those of the host. service-spec, Events; docs/decisions/0054. */
export class Events extends Service<Events>()("almoner/app/Events", function* () {
  const outbox = yield* Outbox
  const changeLog = yield* ChangeLog
  const tokens = yield* Tokens
  const transaction = yield* Transaction
  const declared = yield* HostEvents

  const read = Effect.fn("Events.read")(function* (id: EventId) {
    const caller = yield* requireScope(operations.read)
    return yield* orNotFound("event", id)(outbox.find(caller.organisation.id, id))
  })

  const list = listMethod("Events.list", operations.list, outbox)

  const insert = Effect.fn("Events.emit")(function* (type: HostEventType, data: Event.HostEventData) {
    const { organisation } = yield* requireScope(operations.emit)
    const at = yield* organisationNow
    const id = yield* tokens.id("event")
    yield* changeLog.write({
      operation: operations.emit.requires.name,
      subject_id: id,
      at,
      events: [{ id, type, data }]
    })
    const event: Event.EventRecord = {
      id,
      type,
      occurred_at: at,
      organisation_id: organisation.id,
      data,
      created_at: at
    }
    return event
  }, transaction.run)

  /** The check of {@link emit}, which may wait for the host; what it answers is the rest, to be run in a transaction. */
  const prepareEmit = Effect.fnUntraced(function* ({ data, type }: HostEmission) {
    yield* requireScope(operations.emit)
    const check = isHostEventType(type) ? declared.get(type) : undefined
    if (check === undefined || !isHostEventType(type)) return yield* undeclared(type, declared)
    const given = yield* Effect.fromResult(jsonDataOf(data))
    const kept = yield* Effect.fromResult(jsonDataOf(yield* check(given)))
    return insert(type, kept)
  })

  /**
   * Writes an event of a type that the host declares, and answers it. What is kept and sent is what the type's schema
   * makes of the data, as JSON. Fails with {@link InvalidInput} for a type that is not declared (`type`), and for data
   * that its schema refuses or that are no JSON of bounded size (`data`, or the field of it).
   */
  const emit = (input: HostEmission) => Effect.flatten(prepareEmit(input))

  return yield* serviceInOrganisationTime(methods, { read, list, prepareEmit, emit }, declared.keys())
}) {}

/** The operations of {@link Events}. */
export const eventOperations = operationsOf(Events, operations, {
  emit: { prepare: (use, input) => use.prepareEmit(input) }
})
