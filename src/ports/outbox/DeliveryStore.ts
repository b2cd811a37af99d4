import type { DateTime, Duration, Effect, Option } from "effect"
import { Context } from "effect"
import type { DeliveryId, EventId, OrganisationId, WebhookEndpointId } from "../../domain/kernel/Ids.ts"
import type { ListQuery, Page } from "../../domain/kernel/Listing.ts"
import type { InvalidInput } from "../../domain/kernel/Rejection.ts"
import type { Attempt, Delivery, SetAside } from "../../domain/outbox/Delivery.ts"
import type { EarlierReplay } from "../../domain/outbox/Replay.ts"
import type { WebhookEndpoint } from "../../domain/outbox/WebhookEndpoint.ts"

/** A delivery that a worker holds until its lease ends, with all that an attempt needs. */
export interface ClaimedDelivery {
  readonly delivery: Delivery
  readonly lease_id: string
  /** The event's exact text. */
  readonly body: string
  readonly endpoint: WebhookEndpoint
  readonly is_sandbox: boolean
  readonly webhook_allowed_cidrs: ReadonlyArray<string>
}

/** The deliveries that a claim hands out, and the store's time. */
export interface ClaimResult {
  readonly at: DateTime.Utc
  readonly claimed: ReadonlyArray<ClaimedDelivery>
}

/** A delivery whose lease ran out: its worker went away in the middle of an attempt. */
export interface ExpiredLease {
  readonly delivery: Delivery
  readonly lease_id: string
  /** When it was found, by the store's clock. */
  readonly at: DateTime.Utc
}

/** How many are under way, and how many may be handed out beside them. */
export interface Share {
  readonly room: number
  readonly under_way: number
}

/** Shares of those that something is known of, and the room that each of the others has. */
export interface Shares<Id> {
  readonly known: ReadonlyMap<Id, Share>
  readonly others: number
}

/** The outcome of an attempt. */
export interface AttemptResult {
  /** After the attempt, as the machine decided. */
  readonly delivery: Delivery
  /** The lease under which it was made. */
  readonly lease_id: string
  /** Null where none was made: the endpoint is gone, or the delivery is handed back as it was. */
  readonly attempt: Attempt | null
}

/** Keeps deliveries, and hands the ones that are due to workers. */
export class DeliveryStore extends Context.Service<
  DeliveryStore,
  {
    insert(delivery: Delivery): Effect.Effect<void>
    find(
      organisation_id: OrganisationId,
      id: DeliveryId
    ): Effect.Effect<Option.Option<{ readonly delivery: Delivery; readonly attempts: ReadonlyArray<Attempt> }>>
    /** MUST answer as `domain/kernel/Listing` defines; an unknown cursor is {@link InvalidInput}. */
    list(organisation_id: OrganisationId, query: ListQuery): Effect.Effect<Page<Delivery>, InvalidInput>
    /**
     * The replays of events, by hand or with all others, whatever became of them. MUST leave out deliveries that events made
     * themselves, and other organisations'.
     */
    replaysOf(
      organisation_id: OrganisationId,
      events: ReadonlyArray<EventId>
    ): Effect.Effect<ReadonlyArray<EarlierReplay>>
    /** The one clock that due times and leases are judged by, whatever the clocks of the processes say. */
    readonly now: Effect.Effect<DateTime.Utc>
    /**
     * Hands out deliveries that are due, and by `due` where it is given, and that nobody holds: at most `limit`, of each
     * endpoint and each organisation at most its room. A delivery's place within its endpoint counts those under way there
     * and those due before it; its place within its organisation counts those under way there and those with an earlier
     * place in their endpoint. MUST hand out the first by place within the organisation, then by due time. MUST give a
     * delivery to one worker only, until `lease_millis` have passed. MUST NOT hand out one whose lease ran out before
     * {@link settle} recorded that. What cannot be read is set aside, and the others are handed out.
     */
    claim(options: {
      readonly lease_id: string
      readonly lease_millis: number
      readonly limit: number
      readonly endpoints: Shares<WebhookEndpointId>
      readonly organisations: Shares<OrganisationId>
      readonly due?: DateTime.Utc
    }): Effect.Effect<ClaimResult>
    /** Begins the lease anew where it still stands, and answers whose it does. MUST NOT touch what another worker holds. */
    renew(
      lease_id: string,
      lease_millis: number
    ): Effect.Effect<{ readonly at: DateTime.Utc; readonly ids: ReadonlySet<DeliveryId> }>
    /** Hands back all that is held under the leases, as it was: nothing of it was sent. */
    release(lease_ids: ReadonlyArray<string>): Effect.Effect<void>
    /**
     * Deliveries whose lease has been over for at least `over_millis`, at most `limit`. What cannot be read is set aside, and
     * the others are answered.
     */
    expired(options: {
      readonly limit: number
      readonly over_millis: number
    }): Effect.Effect<ReadonlyArray<ExpiredLease>>
    /**
     * Records outcomes. MUST leave alone every delivery that is no longer held under the lease given: another worker, or
     * its endpoint's owner, has decided it since. Keeps the endpoints' run of failures: `failing_since` is the first
     * failed attempt since the last 2xx, `exhausted_at` the last time within it that a delivery used all its attempts.
     * An interrupted attempt says nothing of the endpoint.
     */
    settle(outcomes: ReadonlyArray<AttemptResult>): Effect.Effect<void>
    /** How long until the next delivery is due or a lease ends, zero when one is; none when nothing is pending. */
    readonly untilDue: Effect.Effect<Option.Option<Duration.Duration>>
    /** As {@link untilDue}, of one organisation, those that are under way included. */
    untilDueOf(organisation_id: OrganisationId): Effect.Effect<Option.Option<Duration.Duration>>
    /**
     * Brings an organisation's next attempts forward by whole milliseconds, and has its endpoints have failed for as much longer:
     * its clock was moved. MUST leave alone what is under way.
     */
    bringForward(organisation_id: OrganisationId, by_millis: number): Effect.Effect<void>
    /**
     * Brings back to the schedule each due time that lies further ahead than {@link longestWaitSeconds}, and each lease that
     * lasts longer than `lease_millis`: the store's clock was set back since they were written. Answers how many.
     */
    repair(lease_millis: number): Effect.Effect<number>
    /** The deliveries that are set aside, of all organisations, at most `limit`. */
    setAside(limit: number): Effect.Effect<ReadonlyArray<SetAside>>
    /** Puts back all that is set aside, to be tried again, and answers how many. */
    readonly putBack: Effect.Effect<number>
    /** Ends all pending deliveries of an endpoint as FAILED, in the surrounding transaction. */
    abandon(organisation_id: OrganisationId, endpoint_id: WebhookEndpointId, at: DateTime.Utc): Effect.Effect<void>
    /** The endpoints that `WebhookEndpoint.failingRule` holds for: those to disable. */
    readonly failing: Effect.Effect<ReadonlyArray<WebhookEndpoint>>
    /**
     * Forgets deliveries of all organisations that ended at or before `before`, the oldest first, at most `limit`, and
     * answers how many. MUST leave alone those that are pending, and MUST forget the attempts with their delivery.
     */
    trim(before: DateTime.Utc, limit: number): Effect.Effect<number>
    /** Ends all leases at once: only for a store that no other process can have open. */
    readonly releaseAll: Effect.Effect<void>
  }
>()("almoner/ports/DeliveryStore") {}
