import { Effect } from "effect"
import { australianRegimes } from "../../domain/compliance/AustralianRegimes.ts"
import { Disclosure } from "../../domain/compliance/Disclosure.ts"
import type { Donor } from "../../domain/giving/Donor.ts"
import { CalendarDate } from "../../domain/kernel/CalendarDate.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { RevenueCodeStore } from "../../ports/giving/RevenueCodeStore.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import { storedRecord } from "../Generators.ts"
import { at, makerOf, revenueCodeOf } from "./Records.ts"

/** A stored revenue code, assigned to a jurisdiction or to none. */
export const newCode = Effect.fnUntraced(function* (
  organisation_id: OrganisationId,
  code: string,
  jurisdiction: string | null
) {
  const made = yield* revenueCodeOf(organisation_id, { code, jurisdiction, is_fca: jurisdiction === "AU" })
  yield* Effect.orDie((yield* RevenueCodeStore).insert(made))
  return made
})

/** A day of the period that the checks are about. */
export const day = (number: number): CalendarDate => CalendarDate.make(`2040-01-0${number}`)

const [regime] = australianRegimes

/** A disclosure that is not stored yet, with a duty to give notice of a gift. */
export const disclosureOf = makerOf(
  Disclosure,
  "disclosure",
  ({ id: donor_id, organisation_id }: Pick<Donor, "id" | "organisation_id">, id) => ({
    id,
    organisation_id,
    donor_id,
    jurisdiction: "AU",
    period: "2040",
    starts_on: day(1),
    ends_on: day(4),
    status: "PENDING",
    threshold_cents: 500_000,
    comparison: "OVER",
    total_cents: 600_000,
    in_kind_cents: 0,
    crossed_at: at(0),
    due_at: at(1),
    donation_ids: [],
    duties: [
      {
        number: 1,
        kind: "NOTICE",
        donation_id: null,
        due_at: at(1),
        opened_at: at(0),
        closed_at: null,
        end: null,
        lodged_on: null,
        reference: null,
        note: null
      }
    ],
    lodged_gifts: [],
    ...(regime === undefined ? {} : { regime })
  })
)

/** Disclosures that a store can keep, of one period. */
export const disclosure = arbitraryOf(Disclosure).map(
  (each): Disclosure => ({
    ...storedRecord(each),
    jurisdiction: "AU",
    period: "2040",
    starts_on: day(1),
    ends_on: day(4)
  })
)
