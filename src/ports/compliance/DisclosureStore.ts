import type { DateTime, Effect, Option } from "effect"
import { Context } from "effect"
import type { AssignedGift } from "../../domain/compliance/Assessment.ts"
import type { Disclosure } from "../../domain/compliance/Disclosure.ts"
import type { NamedDonor, NamedGift } from "../../domain/compliance/DisclosureExport.ts"
import type { Donation } from "../../domain/giving/Donation.ts"
import type { CalendarDate } from "../../domain/kernel/CalendarDate.ts"
import type { DisclosureId, DonationId, DonorId, OrganisationId } from "../../domain/kernel/Ids.ts"
import type { RecordStore } from "../kernel/RecordStore.ts"

/** A donor's gifts in a jurisdiction and a period, by which one disclosure is made. */
export interface DisclosureSpan {
  readonly organisation_id: OrganisationId
  readonly donor_id: DonorId
  readonly jurisdiction: string
  /** The first day of the period. */
  readonly starts_on: CalendarDate
}

/** Keeps disclosures, and reads the gifts that they are made of. */
export class DisclosureStore extends Context.Service<
  DisclosureStore,
  RecordStore<Disclosure, DisclosureId> & {
    /** MUST hold the span against every other work that holds it, until the transaction ends. */
    hold(span: DisclosureSpan): Effect.Effect<void>
    /** The jurisdiction that the gift's revenue code is assigned to; null where it has no code, or one that is assigned to none. */
    jurisdictionOf(gift: Donation): Effect.Effect<string | null>
    /**
     * The donor's gifts of these days, both included, whose codes are assigned to a jurisdiction, in no order. MUST see what
     * the transaction wrote itself. MUST leave out gifts that do not count for their status, and deleted ones.
     */
    giftsOf(
      organisation_id: OrganisationId,
      donor_id: DonorId,
      from: CalendarDate,
      to: CalendarDate
    ): Effect.Effect<ReadonlyArray<AssignedGift>>
    /** The disclosure of the span. MUST leave out superseded ones. */
    ofSpan(span: DisclosureSpan): Effect.Effect<Option.Option<Disclosure>>
    /** The donor's disclosures, in no order. MUST leave out superseded ones. */
    ofDonor(organisation_id: OrganisationId, donor_id: DonorId): Effect.Effect<ReadonlyArray<Disclosure>>
    /** The organisations, or `only` that one, with a disclosure that is due by `until`, in no order. MUST name each once. */
    organisationsDue(until: DateTime.Utc, only?: OrganisationId): Effect.Effect<ReadonlyArray<OrganisationId>>
    /**
     * Writes that the organisation was reminded on this day. MUST answer true once for a day, whoever asks at the same moment,
     * and false for the days before it.
     */
    beginReminder(organisation_id: OrganisationId, day: CalendarDate): Effect.Effect<boolean>
    /** The donors of these ids, in no order. MUST leave out none for its state: archived and merged ones are named, too. */
    donorsNamed(organisation_id: OrganisationId, ids: ReadonlyArray<DonorId>): Effect.Effect<ReadonlyArray<NamedDonor>>
    /** The gifts of these ids, in no order. MUST leave out none for its state: refunded and deleted ones are named, too. */
    giftsNamed(organisation_id: OrganisationId, ids: ReadonlyArray<DonationId>): Effect.Effect<ReadonlyArray<NamedGift>>
  }
>()("almoner/ports/DisclosureStore") {}
