import { DateTime, Effect, Option, Schema } from "effect"
import { DeliveryId, type WebhookEndpointId } from "../../domain/kernel/Ids.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { InvalidInput, LimitReached, RecordArchived } from "../../domain/kernel/Rejection.ts"
import * as Delivery from "../../domain/outbox/Delivery.ts"
import * as Event from "../../domain/outbox/Event.ts"
import {
  type Reason,
  ReplayReport,
  type ReplaySelection,
  reasonAgainst,
  reasons,
  replaySelection,
  sliceOf
} from "../../domain/outbox/Replay.ts"
import type { WebhookEndpoint } from "../../domain/outbox/WebhookEndpoint.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { DeliverySignal } from "../../ports/outbox/DeliverySignal.ts"
import { DeliveryStore } from "../../ports/outbox/DeliveryStore.ts"
import { HostEvents } from "../../ports/outbox/HostEvents.ts"
import { WebhookEndpointStore } from "../../ports/outbox/WebhookEndpointStore.ts"
import { requireScope, requireStaff } from "../access/caller/CallerContext.ts"
import { ChangeLog } from "../access/change/Change.ts"
import { body, id, ofEventTypes, operationsOf, pageOf, query } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { listMethod } from "../access/operation/RecordReads.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"

const isReason = (name: string): name is Reason => Object.hasOwn(reasons, name)

/** How often each reason is there, in the order in which they are declared. */
const counted = (refused: ReadonlyArray<Reason>): ReplayReport["refused"] =>
  Object.keys(reasons)
    .filter(isReason)
    .map((reason) => ({ reason, count: refused.filter((each) => each === reason).length, meaning: reasons[reason] }))
    .filter(({ count }) => count > 0)

/** Nothing is sent to an endpoint that is deleted or disabled. */
const refuseClosed = (
  endpoint: Option.Option<WebhookEndpoint>,
  { endpoint_id: id }: Delivery.Delivery
): Effect.Effect<void, RecordArchived> => {
  if (Option.isNone(endpoint) || endpoint.value.deleted_at !== null) {
    const instead = "Nothing is sent to it any more. Register a new endpoint, which gets what happens from then on."
    return Effect.fail(new RecordArchived({ record: "webhook endpoint", id, ending: "deleted", instead }))
  }
  const instead = "Enable it by PATCH with is_active true, then replay the delivery."
  return endpoint.value.is_active
    ? Effect.void
    : Effect.fail(new RecordArchived({ record: "webhook endpoint", id, ending: "disabled", instead }))
}

const deliveryId = id(DeliveryId, "webhook delivery")

const operations = Row.table("webhook_deliveries", {
  read: Row.read("Read a webhook delivery", [deliveryId], Delivery.DeliveryDetail),
  list: Row.read(
    "List webhook deliveries",
    [ofEventTypes((own) => query(Delivery.listing([...Event.eventTypes, ...own])))],
    pageOf(Delivery.DeliveryRecord)
  ),
  replay: Row.change("Send an event again", [deliveryId], Delivery.DeliveryRecord),
  replaySince: Row.staffChange(
    "Send again the events of all deliveries that ended since a time, or only count them",
    [ofEventTypes((own) => body(replaySelection([...Event.eventTypes, ...own])))],
    ReplayReport
  ),
  setAside: Row.keeper(
    "List deliveries of all organisations whose records cannot be read, with the reason",
    [],
    Schema.Array(Delivery.SetAside)
  ),
  putBack: Row.keeper("Try deliveries that were set aside again, after their records were mended", [], Schema.Int)
})

/**
 * Reads deliveries with their attempts, and repeats one by hand, or all since a time. decisions, section 5: Webhook
 * delivery.
 */
export class WebhookDeliveries extends Service<WebhookDeliveries>()("almoner/app/WebhookDeliveries", function* () {
  const store = yield* DeliveryStore
  const endpoints = yield* WebhookEndpointStore
  const changeLog = yield* ChangeLog
  const signal = yield* DeliverySignal
  const tokens = yield* Tokens
  const transaction = yield* Transaction
  const own = yield* HostEvents

  const find = Effect.fnUntraced(function* (organisation_id: Delivery.Delivery["organisation_id"], id: DeliveryId) {
    return yield* store.find(organisation_id, id).pipe(orNotFound("webhook delivery", id))
  })

  const read = Effect.fn("WebhookDeliveries.read")(function* (id: DeliveryId) {
    const caller = yield* requireScope(operations.read)
    return yield* find(caller.organisation.id, id)
  })

  const list = listMethod("WebhookDeliveries.list", operations.list, store)

  /** A new delivery of the same event to the same endpoint, with its audit entry. */
  const repeat = Effect.fnUntraced(function* (delivery: Delivery.Delivery) {
    const at = yield* organisationNow
    const id = yield* tokens.id("delivery")
    const replayed = Delivery.replayOf(delivery, { id, created_at: at, due: yield* store.now })
    yield* store.insert(replayed)
    yield* changeLog.write({ operation: operations.replay.requires.name, subject_id: id, at, events: [] })
    yield* transaction.afterCommit(signal.raise)
    return replayed
  })

  /**
   * Sends the event of a delivery to its endpoint once more, as a new delivery with an id of its own, whatever became of
   * the old one. Fails with {@link RecordArchived} when the endpoint is deleted or disabled, and says which, and with
   * {@link LimitReached} while too many replays of it are under way.
   */
  const replay = Effect.fn("WebhookDeliveries.replay")(function* (id: DeliveryId) {
    const caller = yield* requireScope(operations.replay)
    const { delivery } = yield* find(caller.organisation.id, id)
    // Who holds the endpoint is alone with its replays.
    yield* refuseClosed(yield* endpoints.findForUpdate(caller.organisation.id, delivery.endpoint_id), delivery)
    const replays = yield* store.replaysOf(caller.organisation.id, [delivery.event_id])
    const pending = replays.filter(
      ({ endpoint_id, status }) => endpoint_id === delivery.endpoint_id && status === "PENDING"
    )
    if (pending.length >= Limits.pendingReplays) {
      return yield* new LimitReached({
        message: `${Limits.pendingReplays} replays of this event to its endpoint are under way, which is the most. Wait until one has ended.`
      })
    }
    return yield* repeat(delivery)
  }, transaction.run)

  /** One slice of {@link replaySince}, in a transaction of its own: what is answered is what stays. */
  const replaySlice = Effect.fnUntraced(function* (
    selection: ReplaySelection,
    until: DateTime.Utc,
    after: DeliveryId | null
  ) {
    const { organisation } = yield* requireStaff(operations.replaySince)
    const page = yield* store.list(organisation.id, sliceOf(selection, until, after))
    const ids = Array.from(new Set(page.data.map(({ endpoint_id }) => endpoint_id))).sort()
    const targets = new Map<WebhookEndpointId, Option.Option<WebhookEndpoint>>()
    for (const id of ids) targets.set(id, yield* endpoints.findForUpdate(organisation.id, id))
    const replays = yield* store.replaysOf(
      organisation.id,
      page.data.map(({ event_id }) => event_id)
    )
    const refused: Array<Reason> = []
    for (const delivery of page.data) {
      const { endpoint_id, event_id } = delivery
      const known = replays.filter((each) => each.endpoint_id === endpoint_id && each.event_id === event_id)
      const reason = reasonAgainst(delivery, targets.get(endpoint_id) ?? Option.none(), known)
      if (Option.isSome(reason)) refused.push(reason.value)
      else if (!selection.dry_run) yield* repeat(delivery)
    }
    const next = page.has_more ? (page.data.at(-1)?.id ?? null) : null
    return { selected: page.data.length, refused, next }
  }, transaction.run)

  /**
   * Sends the events of an organisation's ended deliveries once more, the oldest first, and answers how many, and why not
   * the others; a dry run only counts. It works in slices, each of which stays when a later one fails, and looks at
   * {@link Limits.replayedAtOnce} deliveries at most: `next` is where another goes on. What failed is not sent again once
   * a replay was received or while one is under way, so that a repetition takes up what is left. Fails with
   * {@link InvalidInput} for a period without an end after its beginning, and for a cursor that is none. For operators.
   */
  const replaySince = Effect.fn("WebhookDeliveries.replaySince")(function* (selection: ReplaySelection) {
    const until = selection.until ?? (yield* organisationNow)
    if (DateTime.isLessThan(until, selection.since)) {
      const message =
        selection.until === undefined ? "since must not be in the future." : "until must not be before since."
      return yield* new InvalidInput({ param: selection.until === undefined ? "since" : "until", message })
    }
    const refused: Array<Reason> = []
    let selected = 0
    let next = selection.starting_after ?? null
    do {
      const slice = yield* replaySlice(selection, until, next)
      selected += slice.selected
      refused.push(...slice.refused)
      next = slice.next
    } while (next !== null && selected < Limits.replayedAtOnce)
    const report: ReplayReport = {
      dry_run: selection.dry_run,
      since: selection.since,
      until,
      selected,
      replayable: selected - refused.length,
      refused: counted(refused),
      next
    }
    return report
  })

  /** Deliveries of all organisations whose records cannot be read, at most a page of them: an operator's to look into. */
  const setAside = store.setAside(Limits.pageMaximum)

  /** Has all that is set aside tried again, once an operator has mended it, and answers how many there were. */
  const putBack = Effect.tap(store.putBack, (count) =>
    Effect.andThen(Effect.logInfo(`${count} deliveries that were set aside are tried again`), signal.raise)
  )

  const service = { read, list, replay, replaySince, setAside, putBack }
  return yield* serviceInOrganisationTime(operations, service, own.keys())
}) {}

/** The operations of {@link WebhookDeliveries}. */
export const webhookDeliveryOperations = operationsOf(WebhookDeliveries, operations, {
  read: {
    run: (use, delivery) => Effect.map(use.read(delivery), ({ attempts, delivery }) => ({ ...delivery, attempts }))
  }
})
