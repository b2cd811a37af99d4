import type { Duration, Effect, Option } from "effect"
import { Context } from "effect"
import type { DonorId, OrganisationId, SubscriptionId } from "../../domain/kernel/Ids.ts"
import type { Subscription } from "../../domain/payments/Subscription.ts"
import type { DonorReferences } from "../giving/DonorReferences.ts"
import type { RecordStore } from "../kernel/RecordStore.ts"

/** A recurring gift that is to be looked at. */
export interface DueSubscription {
  readonly organisation_id: OrganisationId
  readonly id: SubscriptionId
}

/** Keeps recurring gifts. Their `look_at` is by the clock of `ChargeStore.now`. */
export class SubscriptionStore extends Context.Service<
  SubscriptionStore,
  RecordStore<Subscription, SubscriptionId> &
    DonorReferences & {
      /** The ids of a donor's recurring gifts that have not ended, in the order of their ids. */
      lastingOf(organisation_id: OrganisationId, donor_id: DonorId): Effect.Effect<ReadonlyArray<SubscriptionId>>
      /**
       * Hands out recurring gifts of all organisations whose `look_at` has passed, at most `limit`, the longest due first, the
       * organisations in turn. MUST give one to one worker only for as long as `lease`, by moving its `look_at` to the end of
       * it; from then on it is due again. MUST hand out the others where some cannot be read.
       */
      claim(
        limit: number,
        lease: Duration.Duration,
        only?: OrganisationId
      ): Effect.Effect<ReadonlyArray<DueSubscription>>
      /** How long until a recurring gift is due; none where none is looked at any more. */
      readonly nextDue: Effect.Effect<Option.Option<Duration.Duration>>
      /** As {@link nextDue}, of one organisation, by its clock. */
      nextDueOf(organisation_id: OrganisationId): Effect.Effect<Option.Option<Duration.Duration>>
    }
>()("almoner/ports/SubscriptionStore") {}
