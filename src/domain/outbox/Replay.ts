import { DateTime, Option, Schema } from "effect"
import { DeliveryId, EventId, WebhookEndpointId } from "../kernel/Ids.ts"
import { Limits } from "../kernel/Limits.ts"
import type { Condition, ListQuery } from "../kernel/Listing.ts"
import * as Timestamp from "../kernel/Timestamp.ts"
import type { Delivery, Status } from "./Delivery.ts"
import type { WebhookEndpoint } from "./WebhookEndpoint.ts"

/**
 * The input of a replay: the deliveries that are sent once more. decisions, section 9: replay one or all since a time.
 * @example
 * const Selection = Replay.replaySelection(["donor.created"])
 * Schema.is(Selection)({ since: at, dry_run: true }) // => true
 */
export const replaySelection = (eventTypes: ReadonlyArray<string>) =>
  Schema.Struct({
    /** Deliveries that were made at this instant or later. */
    since: Timestamp.Moment,
    /** Deliveries that were made before this instant; now when absent. */
    until: Schema.optionalKey(Timestamp.Moment),
    endpoint_id: Schema.optionalKey(WebhookEndpointId),
    event_type: Schema.optionalKey(Schema.Literals(eventTypes)),
    /** The status in which they ended; FAILED when absent. */
    status: Schema.optionalKey(Schema.Literals(["FAILED", "DELIVERED"])),
    /** The `next` of the report of the replay before this one. */
    starting_after: Schema.optionalKey(DeliveryId),
    /** Whether the deliveries are only counted, not sent. */
    dry_run: Schema.Boolean
  }).annotate({ identifier: "ReplaySelection" })
/** The deliveries that are replayed. */
export type ReplaySelection = ReturnType<typeof replaySelection>["Type"]

/** The reasons for which a delivery is not replayed. */
export const reasons = {
  endpoint_deleted: "its endpoint is deleted",
  endpoint_disabled: "its endpoint is disabled: switch it on first",
  replay: "it is a replay itself: its original is replayed",
  under_way: "a replay of it is under way",
  received: "a replay of it was received"
} as const
/** Why a delivery is not replayed. */
export type Reason = keyof typeof reasons

/** The fields of an earlier replay that decide whether its event is replayed again. */
export const EarlierReplay = Schema.Struct({
  event_id: EventId,
  endpoint_id: WebhookEndpointId,
  status: Schema.Literals(["PENDING", "DELIVERED", "FAILED"])
})
export type EarlierReplay = typeof EarlierReplay.Type

/** The fields of an endpoint that decide. */
type Target = Pick<WebhookEndpoint, "deleted_at" | "is_active">

/**
 * The reason for which an ended delivery is not replayed with all others; none when it is. `replays` are all earlier
 * replays of its event to its endpoint. A failed delivery is replayed until one replay was received; a received one is
 * replayed each time that is asked for.
 * @example
 * Replay.reasonAgainst({ replay_of: null, status: "FAILED" }, Option.none(), []) // => Option.some("endpoint_deleted")
 */
export const reasonAgainst = (
  delivery: Pick<Delivery, "replay_of" | "status">,
  endpoint: Option.Option<Target>,
  replays: ReadonlyArray<{ readonly status: Status }>
): Option.Option<Reason> => {
  if (Option.isNone(endpoint) || endpoint.value.deleted_at !== null) return Option.some("endpoint_deleted")
  if (!endpoint.value.is_active) return Option.some("endpoint_disabled")
  if (delivery.replay_of !== null) return Option.some("replay")
  if (replays.some(({ status }) => status === "PENDING")) return Option.some("under_way")
  return delivery.status === "FAILED" && replays.some(({ status }) => status === "DELIVERED")
    ? Option.some("received")
    : Option.none()
}

/** The result of a replay of all since a time, or of its dry run. */
export class ReplayReport extends Schema.Opaque<ReplayReport>()(
  Schema.Struct({
    /** Whether the deliveries were only counted. */
    dry_run: Schema.Boolean,
    since: Timestamp.Instant,
    until: Timestamp.Instant,
    /** Deliveries that were selected and examined. */
    selected: Schema.Int,
    /** Deliveries that can be replayed, and were unless this is a dry run. */
    replayable: Schema.Int,
    /** Deliveries that cannot be replayed, by reason. */
    refused: Schema.Array(Schema.Struct({ reason: Schema.String, count: Schema.Int, meaning: Schema.String })),
    /** The delivery to begin the next replay after, where more are selected than one looks at; else null. */
    next: Schema.NullOr(DeliveryId)
  }).annotate({ identifier: "WebhookReplayReport" })
) {}

const where = (column: string, value: string | undefined): ReadonlyArray<Condition> =>
  value === undefined ? [] : [{ column, type: "text", operator: "eq", values: [value] }]

const instant = (operator: "gte" | "lt", at: DateTime.Utc): Condition => ({
  column: "created_at",
  type: "timestamp",
  operator,
  values: [DateTime.toEpochMillis(at)]
})

/**
 * The next selected deliveries after `starting_after`, oldest first: receivers get events in their order.
 * @example Replay.sliceOf({ since: at, dry_run: true }, at, null).conditions.at(-1)?.values // => ["FAILED"]
 */
export const sliceOf = (
  { endpoint_id, event_type, since, status }: ReplaySelection,
  until: DateTime.Utc,
  starting_after: DeliveryId | null
): ListQuery => ({
  limit: Limits.replayedTogether,
  starting_after,
  archived: false,
  conditions: [
    instant("gte", since),
    instant("lt", until),
    ...where("status", status ?? "FAILED"),
    ...where("endpoint_id", endpoint_id),
    ...where("event_type", event_type)
  ],
  words: [],
  segment: null,
  sort: { column: "created_at", descending: false },
  flags: {},
  sent: { search: null, segment: null, sort: null, filters: {} }
})
