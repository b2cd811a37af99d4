import type { DateTime, Duration, Effect, Option } from "effect"
import { Context } from "effect"
import type { OrganisationId, PaymentAllocationId, PaymentId } from "../../domain/kernel/Ids.ts"
import type { Id, TransferAttempt } from "../../domain/sharing/TransferAttempt.ts"
import type { RecordStore } from "../kernel/RecordStore.ts"

/** An attempt that is to be taken up. */
export type DueTransfer = Pick<TransferAttempt, "organisation_id" | "id">

/**
 * Keeps the attempts to bring the parts of payments to their recipients, and to take them back. MUST raise the hint that
 * `wait` waits for once a new one is committed.
 */
export class TransferAttemptStore extends Context.Service<
  TransferAttemptStore,
  RecordStore<TransferAttempt, Id> & {
    /** The time by the store's clock, by which `look_at` is judged. */
    readonly now: Effect.Effect<DateTime.Utc>
    /**
     * Hands out attempts of all organisations whose `look_at` has passed, at most `limit`, the longest due first, the
     * organisations in turn. MUST give an attempt to one worker only for as long as `lease`, by moving its `look_at` to the
     * end of it; from then on it is due again. MUST hand out the others where some cannot be read.
     */
    claim(limit: number, lease: Duration.Duration, only?: OrganisationId): Effect.Effect<ReadonlyArray<DueTransfer>>
    /**
     * Has the attempts of a payment that were sent, or of which one was postponed, taken up now; those that were not due yet
     * for the first time stay as they are. MUST raise the hint that {@link wait} waits for once that committed.
     */
    lookNow(organisation_id: OrganisationId, payment_id: PaymentId): Effect.Effect<void>
    /** All attempts for a part of a payment, of every series, in no order. */
    ofAllocation(
      organisation_id: OrganisationId,
      allocation_id: PaymentAllocationId
    ): Effect.Effect<ReadonlyArray<TransferAttempt>>
    /** How long until an attempt is due; none where none is planned. */
    readonly nextDue: Effect.Effect<Option.Option<Duration.Duration>>
    /** As {@link nextDue}, of one organisation, by its clock. */
    nextDueOf(organisation_id: OrganisationId): Effect.Effect<Option.Option<Duration.Duration>>
    /** Waits for a hint that attempts may be due. It may be lost: polling is the backstop. */
    readonly wait: Effect.Effect<void>
  }
>()("almoner/ports/TransferAttemptStore") {}
