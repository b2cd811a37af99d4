import type { DateTime, Effect, Option } from "effect"
import { Context } from "effect"
import type { AssignedGift } from "../../domain/compliance/Assessment.ts"
import type { CodedGift } from "../../domain/compliance/DefaultCode.ts"
import type { Disclosure } from "../../domain/compliance/Disclosure.ts"
import type { NamedDonor, NamedGift } from "../../domain/compliance/DisclosureExport.ts"
import type { Period, Regime } from "../../domain/compliance/Regime.ts"
import type { UncodedSum } from "../../domain/compliance/UncodedGifts.ts"
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

/** How far an organisation's recount is. */
export interface Recount {
  readonly organisation_id: OrganisationId
  /** When it is due, or was begun. */
  readonly due_at: DateTime.Utc
  /** The donor who was recounted last; empty at the beginning. */
  readonly after_donor_id: string
  /** Whether somebody asked for it; else it is that of the day. */
  readonly is_asked: boolean
}

/** A period of a jurisdiction, and the least sum of it that is disclosed, minor units. */
export interface DisclosedPeriod
  extends Pick<Regime, "currency" | "jurisdiction">,
    Pick<Period, "ends_on" | "starts_on"> {
  readonly least_cents: number
}

/** A donor whose disclosure does not say what the donor's gifts come to. */
export interface DisclosureDifference {
  readonly donor_id: DonorId
  /** What the gifts come to, minor units. */
  readonly counted_cents: number
  /** What the disclosure says; null where there is none. */
  readonly recorded_cents: number | null
}

/** Keeps disclosures, and reads the gifts that they are made of. */
export class DisclosureStore extends Context.Service<
  DisclosureStore,
  RecordStore<Disclosure, DisclosureId> & {
    /**
     * MUST hold the span against every other work that holds it, until the transaction ends. MUST NOT make work that holds
     * another one wait.
     */
    hold(span: DisclosureSpan): Effect.Effect<void>
    /**
     * The jurisdiction that the gift's revenue code is assigned to; null where it has no code, or one that is assigned to none.
     * MUST hold the code against being assigned otherwise until the transaction ends.
     */
    jurisdictionOf(gift: CodedGift): Effect.Effect<string | null>
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
    /** Has an organisation recounted from its beginning. MUST begin it anew where one is under way. */
    requestRecount(organisation_id: OrganisationId, due_at: DateTime.Utc): Effect.Effect<void>
    /** Has every organisation recounted from its beginning that ever was to be. */
    requestRecounts(due_at: DateTime.Utc): Effect.Effect<void>
    /** A recount that is due at this time, the earliest first. */
    dueRecount(now: DateTime.Utc): Effect.Effect<Option.Option<Recount>>
    /** The recount of an organisation; none where none was ever asked for. */
    recountOf(organisation_id: OrganisationId): Effect.Effect<Option.Option<Recount>>
    /** Moves a recount on. MUST leave one as it is that is not as given any more. */
    moveRecount(recount: Recount, next: Omit<Recount, "organisation_id">): Effect.Effect<void>
    /**
     * Donors with ids after this one who have disclosures that are not superseded, or gifts that count and whose codes are
     * assigned, in the order of their ids.
     */
    donorsAfter(organisation_id: OrganisationId, after: string, limit: number): Effect.Effect<ReadonlyArray<DonorId>>
    /**
     * Gifts of a period that count but for their code, by that code: those with one that is assigned to none, by its text, then
     * those without, and each first those that come with a default code. MUST name the largest gifts first, and not more than
     * `Limits.uncodedGiftsShown` of one code.
     */
    uncoded(organisation_id: OrganisationId, period: DisclosedPeriod): Effect.Effect<ReadonlyArray<UncodedSum>>
    /**
     * Donors whose disclosures of a period do not say what their gifts come to, or who have none and crossed its threshold, in
     * the order of their ids. MUST be added up without what assesses disclosures.
     */
    differences(
      organisation_id: OrganisationId,
      period: DisclosedPeriod,
      limit: number
    ): Effect.Effect<ReadonlyArray<DisclosureDifference>>
  }
>()("almoner/ports/DisclosureStore") {}
