import type { DateTime, Duration, Effect, Option } from "effect"
import { Context } from "effect"
import type { EventId } from "../../domain/kernel/Ids.ts"
import type { LimitReached } from "../../domain/kernel/Rejection.ts"
import type { ConsumedEvent } from "../../domain/outbox/ConsumedEvent.ts"
import type { EventRecord } from "../../domain/outbox/Event.ts"
import type { ConsumerRecord, EventConsumer, From } from "../../domain/outbox/EventConsumer.ts"

/** An event that a process holds for a consumer until its lease ends. */
export interface LeasedEvent {
  readonly item: ConsumedEvent
  readonly lease_id: string
}

/** The input of a handler; the event is none where its record cannot be read. */
export interface ClaimedEvent extends LeasedEvent {
  readonly event: Option.Option<EventRecord>
}

/**
 * The consumers of events in hosts' processes, over all organisations: the order of the log, how far each consumer has
 * come, and what it has taken and not handled. All times are by the store's one clock. docs/decisions/0052.
 */
export class EventConsumerStore extends Context.Service<
  EventConsumerStore,
  {
    readonly now: Effect.Effect<DateTime.Utc>
    /**
     * Makes the consumer, or gives one that is known the types that it has after it, by `typesAfter`, for what it takes from now
     * on. A new one MUST begin where `from` says: `now` leaves out exactly what was committed before, an instant what occurred
     * before it. Fails with {@link LimitReached} when there are `Limits.consumers` others.
     */
    register(consumer: {
      readonly name: string
      readonly event_types: ReadonlyArray<string> | null
      /** Every type that the process knows. */
      readonly known_types: ReadonlyArray<string>
      readonly from: From
    }): Effect.Effect<EventConsumer, LimitReached>
    /** Every consumer, by name. */
    readonly list: Effect.Effect<ReadonlyArray<ConsumerRecord>>
    find(name: string): Effect.Effect<Option.Option<ConsumerRecord>>
    /** Forgets a consumer with all that it has taken. Answers whether there was one. */
    remove(name: string): Effect.Effect<boolean>
    /**
     * Takes events that were committed since, as {@link ConsumedEvent} is born, until it holds `waiting` of them, and
     * answers how many it took. MUST take each event of its types once, whatever the order in which the transactions that
     * wrote them committed and however long others go on, and MUST give the later of two events of one subject the greater
     * position. It MUST NOT wait for transactions that have not committed.
     */
    take(name: string, waiting: number): Effect.Effect<number>
    /**
     * Hands out what is due and held by nobody, at most `limit`, by position. MUST hand out no event while an earlier one of
     * its subject is neither handled nor skipped, and MUST give it to one worker only, until {@link settle} or the lease's
     * end is recorded. It MUST leave types that the consumer takes, and the worker has not, to other
     * workers.
     */
    claim(options: {
      readonly name: string
      /** The types of the worker's handler; every type when null or absent. */
      readonly types?: ReadonlyArray<string> | null | undefined
      readonly lease_id: string
      readonly lease_millis: number
      readonly limit: number
    }): Effect.Effect<ReadonlyArray<ClaimedEvent>>
    /** Begins leases anew where they stand. */
    renew(name: string, lease_ids: ReadonlyArray<string>, lease_millis: number): Effect.Effect<void>
    /** Events under leases that ended so long ago, at most `limit`. */
    expired(
      name: string,
      options: { readonly limit: number; readonly over_millis: number }
    ): Effect.Effect<ReadonlyArray<LeasedEvent>>
    /**
     * Records outcomes, in the surrounding transaction, and answers the positions of those that it recorded. MUST leave alone
     * what is no longer held under the lease given. What is handled or skipped is forgotten.
     */
    settle(name: string, outcomes: ReadonlyArray<LeasedEvent>): Effect.Effect<ReadonlySet<number>>
    /** Claimed events of a consumer that are not handled, by position, at most `limit`; only what is parked or has failed if so asked. */
    waiting(
      name: string,
      options: { readonly limit: number; readonly failed: boolean }
    ): Effect.Effect<ReadonlyArray<ConsumedEvent>>
    /** One of these. MUST hold it against other transactions until this one ends. */
    findForUpdate(name: string, event_id: EventId): Effect.Effect<Option.Option<ConsumedEvent>>
    /** Records what an operator decided, in the surrounding transaction; whoever held the event holds it no longer. */
    update(item: ConsumedEvent): Effect.Effect<void>
    /** How long until something is due or a lease ends, zero when it has; none when nothing waits. */
    untilDue(name: string): Effect.Effect<Option.Option<Duration.Duration>>
    /**
     * Answers an effect that waits until events were committed since this was asked, by this process, or by another one
     * where the store can tell. The hint may be lost: polling is the backstop.
     */
    readonly hint: Effect.Effect<Effect.Effect<void>>
    /** Ends all leases at once: only for a store that no other process can have open. */
    readonly releaseAll: Effect.Effect<void>
  }
>()("almoner/ports/EventConsumerStore") {}
