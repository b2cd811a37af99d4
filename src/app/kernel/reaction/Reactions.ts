import type { DateTime, Effect } from "effect"
import { Context } from "effect"
import type * as Ids from "../../../domain/kernel/Ids.ts"
import type { GuardRefused } from "../../../domain/kernel/Machine.ts"
import type { InvalidInput } from "../../../domain/kernel/Rejection.ts"

/** A duplicate that was merged into a donor, with locks on both: nothing new is given to the duplicate. */
export interface DonorMerge {
  readonly organisation_id: Ids.OrganisationId
  readonly duplicate: Ids.DonorId
  readonly survivor: Ids.DonorId
  readonly at: DateTime.Utc
}

/** The archiving of a donor, which locks the donor. */
export interface DonorArchival {
  readonly organisation_id: Ids.OrganisationId
  readonly donor_id: Ids.DonorId
  readonly actor: { readonly type: "API_KEY" | "USER" | "SYSTEM"; readonly id: string }
  readonly request_id: string
  readonly at: DateTime.Utc
}

/** A charge whose money is to be given back, or was. */
export interface RefundRequest {
  readonly organisation_id: Ids.OrganisationId
  readonly charge_id: Ids.ChargeId
  /** Whether the processor shall pay it back, or staff say how that ended which they did by hand. */
  readonly by: "processor" | "hand"
}

/** A refund of money in the books that was asked for, or whose end staff have recorded. */
export interface RefundChange {
  readonly organisation_id: Ids.OrganisationId
  /** Null where the money came to a bank account, and the gift was booked from it. */
  readonly charge_id: Ids.ChargeId | null
  readonly donation_id: Ids.DonationId
  readonly refund_id: Ids.RefundId
  readonly amount_cents: number
  readonly became: "PENDING" | "SUCCEEDED" | "FAILED"
  /** Whether the gift has nothing to do with it. */
  readonly is_beside_gift: boolean
  readonly at: DateTime.Utc
}

/** A charge whose money shall not be taken any more, since what it pays for is withdrawn. */
export interface ChargeCancellation {
  readonly organisation_id: Ids.OrganisationId
  readonly charge_id: Ids.ChargeId
  readonly at: DateTime.Utc
}

/** A charge that pays something else than a gift, and changed. */
export interface ChargeMove {
  readonly organisation_id: Ids.OrganisationId
  readonly charge_id: Ids.ChargeId
  /** The record that it pays. */
  readonly subject_id: string
  readonly status: "NEW" | "WAITING" | "PROCESSING" | "SUCCEEDED" | "FAILED" | "CANCELLED"
  readonly failure_code: string | null
  /** Whether the donor's bank has just taken everything back that was left, or that was undone; null where neither. */
  readonly chargeback: "LOST" | "WON" | null
  /** The processor's and the platform's fee, minor units; null until they are known. */
  readonly fees: { readonly processor_fee_cents: number; readonly platform_fee_cents: number } | null
  readonly request_id: string
  readonly at: DateTime.Utc
}

/** A charge that pays a set, of whose transfers its processor says something else than is known here. */
export interface TransferDoubt {
  readonly organisation_id: Ids.OrganisationId
  /** The record that the charge pays. */
  readonly subject_id: string
}

/** A payment whose money did not come in time, and is there now: it is written again, with a charge of its own. */
export interface PaymentAnew {
  readonly organisation_id: Ids.OrganisationId
  readonly lapsed_id: Ids.PaymentId
  readonly id: Ids.PaymentId
  readonly at: DateTime.Utc
}

/** A gift that a donor is about to pay on a page. */
export interface GiftRequest {
  readonly organisation_id: Ids.OrganisationId
  readonly amount_cents: number
  readonly currency: string
  readonly source: "CHECKOUT_LINK" | "PAYMENT_PROCESSOR" | "RECOMMENDATION_SET"
  readonly revenue_code_id: Ids.RevenueCodeId | null
  /** The link by which a part of a payment to a set comes; null for every other gift. */
  readonly recipient_account_link_id: Ids.RecipientAccountLinkId | null
  /** Who gives: a donor of the organisation, or whoever has this address there; null where nobody is known by it. */
  readonly donor: { readonly id: Ids.DonorId } | { readonly email: string } | null
  readonly at: DateTime.Utc
}

/** A context's reaction to an event in a context that it may import, but that may not import it. */
export interface Reaction {
  /** Gives everything that belongs to the duplicate to the survivor. */
  readonly donorMerged: (merge: DonorMerge) => Effect.Effect<void>
  /** An organisation has another time zone: what is dated by its calendar moves. */
  readonly timezoneChanged: (organisation_id: Ids.OrganisationId) => Effect.Effect<void>
  /** Ends what the donor's archiving ends. */
  readonly donorArchived: (archival: DonorArchival) => Effect.Effect<void>
  /**
   * Locks the charge before its gift, since whoever settles a charge does so in this order. Refuses where its money
   * cannot be given back now, or not in this way.
   */
  readonly refunding: (refunding: RefundRequest) => Effect.Effect<void, GuardRefused>
  /**
   * Locks the charge of a gift in progress before its link, and has it cancelled at its processor where it only waits
   * for its donor. Refuses where its money may still arrive without the donor.
   */
  readonly givingWay: (asked: ChargeCancellation) => Effect.Effect<void, GuardRefused>
  /** Applies the consequences of a change of a locked charge. */
  readonly chargeMoved: (move: ChargeMove) => Effect.Effect<void>
  /** Refuses a gift before its money is taken, where what its donor may give does not permit it. */
  readonly giftAsked: (asked: GiftRequest) => Effect.Effect<void, InvalidInput>
  /** Writes a payment to a set again. */
  readonly paymentAnew: (anew: PaymentAnew) => Effect.Effect<void>
  /** Writes what a refund moves, and has the processor pay back one that was asked for. */
  readonly refundChanged: (change: RefundChange) => Effect.Effect<void>
  /**
   * Makes the transfers of a charge agree with its processor; whether that was reached. It asks the processor: outside of any
   * transaction.
   */
  readonly transfersDoubted: (doubt: TransferDoubt) => Effect.Effect<boolean>
}

/** The reactions of all contexts. They run in the transaction of the event, where none of them says otherwise. `app/Application` puts them together. */
export class Reactions extends Context.Service<Reactions, Reaction>()("almoner/app/Reactions") {}
