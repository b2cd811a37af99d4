import type { DateTime, Effect, Option } from "effect"
import { Context } from "effect"
import type { Attempt, Delivery } from "../domain/Delivery.ts"
import type { DeliveryId, OrganisationId, WebhookEndpointId } from "../domain/Ids.ts"
import type { ListQuery, Page } from "../domain/Listing.ts"
import type { InvalidInput } from "../domain/Rejection.ts"
import type { WebhookEndpoint } from "../domain/WebhookEndpoint.ts"

/** A delivery that a worker holds until its lease ends, with all that an attempt needs. */
export interface Claimed {
  readonly delivery: Delivery
  readonly lease_id: string
  /** The event's exact text. */
  readonly body: string
  readonly endpoint: WebhookEndpoint
  readonly is_sandbox: boolean
  readonly webhook_allowed_cidrs: ReadonlyArray<string>
}

/** A delivery whose lease ran out: its worker went away in the middle of an attempt. */
export interface Expired {
  readonly delivery: Delivery
  readonly lease_id: string
}

/** What an attempt leaves behind. */
export interface Settled {
  /** After the attempt, as the machine decided. */
  readonly delivery: Delivery
  /** The lease under which it was made. */
  readonly lease_id: string
  /** Null where none was made, because the endpoint is gone. */
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
    /** MUST answer as `domain/Listing` defines; an unknown cursor is {@link InvalidInput}. */
    list(organisation_id: OrganisationId, query: ListQuery): Effect.Effect<Page<Delivery>, InvalidInput>
    /**
     * Hands out deliveries that are due and that nobody holds, earliest due first, of each endpoint at most what `room` says,
     * or `per_endpoint` where it says nothing, and at most `limit`. MUST give a delivery to one worker only, until
     * `lease_until`. MUST NOT hand out one whose lease ran out before {@link settle} recorded that.
     */
    claim(options: {
      readonly now: DateTime.Utc
      readonly lease_id: string
      readonly lease_until: DateTime.Utc
      readonly limit: number
      readonly per_endpoint: number
      readonly room: ReadonlyMap<WebhookEndpointId, number>
    }): Effect.Effect<ReadonlyArray<Claimed>>
    /** Deliveries whose lease ended at or before `now`. */
    expired(now: DateTime.Utc, limit: number): Effect.Effect<ReadonlyArray<Expired>>
    /**
     * Records outcomes. MUST leave alone every delivery that is no longer held under the lease given: another worker, or
     * its endpoint's owner, has decided it since. Keeps the endpoints' run of failures: `failing_since` is the first
     * failed attempt since the last 2xx, `exhausted_at` the last time within it that a delivery used all its attempts.
     */
    settle(outcomes: ReadonlyArray<Settled>): Effect.Effect<void>
    /** When the next delivery is due, or a lease ends; none when nothing is pending. */
    readonly nextDue: Effect.Effect<Option.Option<DateTime.Utc>>
    /** Ends all pending deliveries of an endpoint as FAILED, in the surrounding transaction. */
    abandon(organisation_id: OrganisationId, endpoint_id: WebhookEndpointId, at: DateTime.Utc): Effect.Effect<void>
    /** Active endpoints that {@link isDead} may hold for: failing since `since` or longer, and exhausted in that time. */
    failing(since: DateTime.Utc): Effect.Effect<ReadonlyArray<WebhookEndpoint>>
    /**
     * Forgets deliveries of all organisations that ended at or before `before`, the oldest first, at most `limit`, and
     * answers how many. MUST leave alone those that are pending, and MUST forget the attempts with their delivery.
     */
    trim(before: DateTime.Utc, limit: number): Effect.Effect<number>
    /** Ends all leases at once: only for a store that no other process can have open. */
    readonly releaseAll: Effect.Effect<void>
  }
>()("almoner/ports/DeliveryStore") {}
