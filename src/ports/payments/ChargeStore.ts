import type { DateTime, Duration, Effect, Option } from "effect"
import { Context } from "effect"
import type { ChargeId, IntegrationId, MandateId, OrganisationId } from "../../domain/kernel/Ids.ts"
import type { AlreadyTaken } from "../../domain/kernel/Rejection.ts"
import type { Charge } from "../../domain/payments/Charge.ts"
import type { AwaitedGift } from "../../domain/payments/GiftCandidate.ts"
import type { RecordStore } from "../kernel/RecordStore.ts"

/** A charge that is to be looked at. */
export interface DueCharge {
  readonly organisation_id: OrganisationId
  readonly id: ChargeId
}

/** Of which kinds any record hangs on a charge. */
export interface AttachedKinds {
  readonly refunds: boolean
  readonly disputes: boolean
  readonly exceptions: boolean
}

/** A payment for which gifts are looked for. */
export interface GiftSearch {
  readonly integrations: ReadonlyArray<IntegrationId>
  readonly amount_cents: number
  readonly currency: string
  readonly references: ReadonlyArray<string>
  /** Words of which each begins one of the donor's. */
  readonly words: ReadonlyArray<string>
  /** Names (`payerNamesOf`) of those who pay to sets. */
  readonly names: ReadonlyArray<string>
  /** Transfers that have lapsed since then are offered, too, where they were not charged anew. */
  readonly lapsedSince: DateTime.Utc
  /** The greatest number of those that have a reference, of those by a word, of those by a name, and of those of the amount. */
  readonly limit: number
}

/** Keeps charges. An organisation's submission id MUST be taken once, and an integration's reference once. */
export class ChargeStore extends Context.Service<
  ChargeStore,
  RecordStore<Charge, ChargeId, AlreadyTaken> & {
    /**
     * The time by the store's clock, by which `look_at` is judged: never ahead of that, and behind it by `storeTimeLateMillis`
     * at most.
     */
    readonly now: Effect.Effect<DateTime.Utc>
    ofSubmission(organisation_id: OrganisationId, submission_id: string): Effect.Effect<Option.Option<Charge>>
    /** The organisation's charges of these ids, in no order. */
    ofIds(organisation_id: OrganisationId, ids: ReadonlyArray<ChargeId>): Effect.Effect<ReadonlyArray<Charge>>
    /** The charge of this id, of any organisation. */
    ofId(id: ChargeId): Effect.Effect<Option.Option<Charge>>
    /** The charges of all organisations that have this reference at an account at this processor, in no order. */
    ofProcessor(processor: string, reference: string): Effect.Effect<ReadonlyArray<Charge>>
    /** The charge of any organisation that has this reference at this account. */
    ofReference(integration_id: IntegrationId, reference: string): Effect.Effect<Option.Option<Charge>>
    /** The organisation's charges at these accounts that have one of these references, in no order. */
    ofReferences(
      organisation_id: OrganisationId,
      integrations: ReadonlyArray<IntegrationId>,
      references: ReadonlyArray<string>
    ): Effect.Effect<ReadonlyArray<Charge>>
    /** The charges by a mandate that have not ended, or of which a dispute is open, in no order. */
    unsettledOf(organisation_id: OrganisationId, mandate_id: MandateId): Effect.Effect<ReadonlyArray<Charge>>
    /**
     * Hands out charges of all organisations whose `look_at` has passed, at most `limit`, the longest due first, the
     * organisations in turn. MUST give a charge to one worker only for as long as `lease`, by moving its `look_at` to the end
     * of it; from then on it is due again. MUST hand out the others where some cannot be read.
     */
    claim(limit: number, lease: Duration.Duration, only?: OrganisationId): Effect.Effect<ReadonlyArray<DueCharge>>
    /**
     * Of which kinds any record hangs on a charge, so that none are looked for of which there are none. Where the charge is held,
     * MUST see all that was committed before it was.
     */
    attached(organisation_id: OrganisationId, id: ChargeId): Effect.Effect<AttachedKinds>
    /** Has a charge looked at now. MUST raise the hint that {@link wait} waits for once that committed. */
    lookNow(organisation_id: OrganisationId, id: ChargeId): Effect.Effect<void>
    /**
     * As {@link lookNow}, of the bank transfers to these accounts that wait, and were submitted at these times: the first
     * included, and the last not. It passes over those that somebody else holds.
     */
    lookAtTransfers(
      organisation_id: OrganisationId,
      integrations: ReadonlyArray<IntegrationId>,
      submitted: { readonly from: DateTime.Utc; readonly until: DateTime.Utc }
    ): Effect.Effect<void>
    /** Bank transfers to these accounts that wait or have lapsed, by references, by their donors' words, by their payers' names, and by the amount; in no order. */
    awaitedGifts(organisation_id: OrganisationId, sought: GiftSearch): Effect.Effect<ReadonlyArray<AwaitedGift>>
    /** Bank transfers that wait for the rest of their money, the newest first, as many as `limit`. */
    partPaidGifts(organisation_id: OrganisationId, limit: number): Effect.Effect<ReadonlyArray<AwaitedGift>>
    /** How long until a charge is due; none where none is looked at any more. */
    readonly nextDue: Effect.Effect<Option.Option<Duration.Duration>>
    /** As {@link nextDue}, of one organisation, by its clock. */
    nextDueOf(organisation_id: OrganisationId): Effect.Effect<Option.Option<Duration.Duration>>
    /** Waits for a hint that charges may be due. It may be lost: polling is the backstop. */
    readonly wait: Effect.Effect<void>
  }
>()("almoner/ports/ChargeStore") {}
