import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { EventId, OrganisationId } from "../../domain/kernel/Ids.ts"
import type { ListQuery, Page } from "../../domain/kernel/Listing.ts"
import type { InvalidInput } from "../../domain/kernel/Rejection.ts"
import type { Event, EventRecord } from "../../domain/outbox/Event.ts"

/** The events of committed changes. */
export class Outbox extends Context.Service<
  Outbox,
  {
    /**
     * Writes events and, for each, one PENDING delivery per endpoint of its organisation that is active and subscribes to
     * its type at this moment, in the surrounding transaction. MUST drop an event whose type and dedupe key the
     * organisation has already, without failing. MUST raise {@link DeliverySignal} once that committed, if it wrote a
     * delivery, and need not otherwise.
     */
    append(events: ReadonlyArray<Event>): Effect.Effect<void>
    find(organisation_id: OrganisationId, id: EventId): Effect.Effect<Option.Option<EventRecord>>
    /** MUST answer as `domain/kernel/Listing` defines; an unknown cursor is {@link InvalidInput}. */
    list(organisation_id: OrganisationId, query: ListQuery): Effect.Effect<Page<EventRecord>, InvalidInput>
  }
>()("almoner/ports/Outbox") {}
