import { Effect, Layer } from "effect"
import { CodeAssignments } from "../../src/app/compliance/CodeAssignments.ts"
import { DefaultCodes } from "../../src/app/compliance/DefaultCodes.ts"
import { australianRegimes } from "../../src/domain/compliance/AustralianRegimes.ts"
import { shippedRegimes } from "../../src/domain/compliance/RegimeBook.ts"
import { CalendarDate } from "../../src/domain/kernel/CalendarDate.ts"
import type { OrganisationId } from "../../src/domain/kernel/Ids.ts"
import { DisclosureStore, InstallationRegimes } from "../../src/ports.ts"

// A law by which every gift is disclosed, so that none may be without, wherever somebody was stopped.

const disclosedFrom = 1

const jurisdiction = "AU"

const regimes = australianRegimes
  .filter((regime) => regime.jurisdiction === jurisdiction)
  .slice(0, 1)
  .map((regime) => ({
    ...regime,
    effective_from: CalendarDate.make("2000-01-01"),
    effective_to: null,
    period_kind: "CALENDAR_YEAR" as const,
    threshold_cents: disclosedFrom,
    comparison: "AT_LEAST" as const
  }))

export const law = Layer.sync(InstallationRegimes, () => ({ ...shippedRegimes, regimes }))

/** Has the gifts under a code count, and those of recommendation sets by the same one. For staff. */
export const countGifts = (code: string) =>
  Effect.andThen(
    CodeAssignments.use(({ assign }) => assign({ code, jurisdiction })),
    DefaultCodes.use((codes) => codes.default({ code }))
  )

/** What donors' gifts come to and their disclosures do not say. */
export const undisclosedOf = (organisation_id: OrganisationId) =>
  Effect.forEach([2025, 2026, 2027], (year) =>
    DisclosureStore.use(({ differences }) => {
      const [starts_on, ends_on] = [CalendarDate.make(`${year}-01-01`), CalendarDate.make(`${year}-12-31`)]
      const period = { currency: "AUD", jurisdiction, least_cents: disclosedFrom, starts_on, ends_on } as const
      return differences(organisation_id, period, 10)
    })
  ).pipe(Effect.map((found) => found.flat()))
