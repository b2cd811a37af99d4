import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { CalendarDate } from "../../domain/kernel/CalendarDate.ts"
import type { DonorId, OrganisationId } from "../../domain/kernel/Ids.ts"
import type {
  GiftSum,
  SummarisedGift,
  SummaryStep,
  YearDays,
  YearlySummary
} from "../../domain/outbox/YearlySummary.ts"

/** Keeps how far the summaries of financial years are, and reads the gifts that they tell. docs/decisions/0083. */
export class YearlySummaryStore extends Context.Service<
  YearlySummaryStore,
  {
    /**
     * Organisations whose summaries of the year that ends on a day are not completed, by id: those after `after`, at most
     * `limit`. MUST name those, too, that have none of that year.
     */
    organisationsWithout(
      ends_on: CalendarDate,
      after: string,
      limit: number
    ): Effect.Effect<ReadonlyArray<OrganisationId>>
    /** An organisation's, the newest year first. */
    ofOrganisation(organisation_id: OrganisationId): Effect.Effect<ReadonlyArray<YearlySummary>>
    /** Writes new summaries. MUST leave alone those of the same organisation and year that are there. */
    begin(summary: YearlySummary): Effect.Effect<void>
    /** The earliest of an organisation that are not completed. MUST hold them against others until the transaction ends. */
    openForUpdate(organisation_id: OrganisationId): Effect.Effect<Option.Option<YearlySummary>>
    /** Takes the place of those of the same organisation and year. */
    save(summary: YearlySummary): Effect.Effect<void>
    /**
     * Looks at the donors after `after`, by id, at most `limit`. MUST answer those alone whom `YearlySummary.readerRule` holds
     * for, and who have a gift of the year that `YearlySummary.summarisedRule` holds for; and as the last the last that was
     * looked at, or null where none is left after those.
     */
    donorsAfter(
      organisation_id: OrganisationId,
      year: YearDays,
      after: string,
      limit: number
    ): Effect.Effect<SummaryStep>
    /** A donor's gifts of a year that `YearlySummary.summarisedRule` holds for, by day and id. MUST be the first `limit` of them. */
    giftsOf(
      organisation_id: OrganisationId,
      donor_id: DonorId,
      year: YearDays,
      limit: number
    ): Effect.Effect<ReadonlyArray<SummarisedGift>>
    /** The language of the last of all these gifts, by day and id, whose language is known. */
    languageOf(organisation_id: OrganisationId, donor_id: DonorId, year: YearDays): Effect.Effect<Option.Option<string>>
    /** The sums of all these gifts, by currency. */
    sumsOf(organisation_id: OrganisationId, donor_id: DonorId, year: YearDays): Effect.Effect<ReadonlyArray<GiftSum>>
  }
>()("almoner/ports/YearlySummaryStore") {}
