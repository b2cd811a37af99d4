import { Array as Arr, HashMap, Option, Order } from "effect"
import type { Donation } from "../../../domain/giving/Donation.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { readerRule, summarisedRule, type YearDays, type YearlySummary } from "../../../domain/outbox/YearlySummary.ts"
import { YearlySummaryStore } from "../../../ports/outbox/YearlySummaryStore.ts"
import { storeOf } from "../Memory.ts"
import { get, put, records, type State, where } from "../State.ts"

const giftsOf = (state: State, organisation_id: string, donor_id: string, { ends_on, starts_on }: YearDays) =>
  where(
    state.donations,
    organisation_id,
    (gift) =>
      gift.donor_id === donor_id &&
      starts_on <= gift.donation_day &&
      gift.donation_day <= ends_on &&
      Rule.holds(summarisedRule, gift)
  )

const byDay = Order.combine(
  Order.mapInput(Order.String, ({ donation_day }: Donation): string => donation_day),
  Order.mapInput(Order.String, ({ id }: Donation): string => id)
)

const summariesOf = (state: State, organisation_id: string): ReadonlyArray<YearlySummary> =>
  Array.from(records(state.yearlySummaries, organisation_id)).toSorted((a, b) =>
    compareCodePoints(a.ends_on, b.ends_on)
  )

const save = (state: State, summary: YearlySummary): State => ({
  ...state,
  yearlySummaries: put(state.yearlySummaries, summary.organisation_id, summary.ends_on, summary)
})

/** Summaries of years in memory. Transactions run one after the other, so that nothing has to be held. */
export const layer = storeOf(YearlySummaryStore, (memory) => ({
  organisationsWithout: (ends_on, after, limit) =>
    memory.read((state) =>
      HashMap.toValues(state.organisations)
        .map(({ id }) => id)
        .filter((id) => id > after)
        .filter((id) => !Option.exists(get(state.yearlySummaries, id, ends_on), (kept) => kept.completed_at !== null))
        .toSorted(compareCodePoints)
        .slice(0, limit)
    ),
  ofOrganisation: (organisation_id) => memory.read((state) => summariesOf(state, organisation_id).toReversed()),
  begin: (summary) =>
    memory.change((state) =>
      Option.isSome(get(state.yearlySummaries, summary.organisation_id, summary.ends_on)) ? state : save(state, summary)
    ),
  openForUpdate: (organisation_id) =>
    memory.read((state) =>
      Option.fromUndefinedOr(summariesOf(state, organisation_id).find(({ completed_at }) => completed_at === null))
    ),
  save: (summary) => memory.change((state) => save(state, summary)),
  donorsAfter: (organisation_id, year, after, limit) =>
    memory.read((state) => {
      const rest = where(state.donors, organisation_id, ({ id }) => id > after).toSorted((a, b) =>
        compareCodePoints(a.id, b.id)
      )
      const looked = rest.slice(0, limit)
      const found = looked.filter(
        (donor) => Rule.holds(readerRule, donor) && giftsOf(state, organisation_id, donor.id, year).length > 0
      )
      const last = rest.length > limit ? looked.at(-1) : undefined
      return { donors: found.map(({ id }) => id), last: last?.id ?? null }
    }),
  giftsOf: (organisation_id, donor_id, year, limit) =>
    memory.read((state) =>
      giftsOf(state, organisation_id, donor_id, year)
        .toSorted(byDay)
        .slice(0, limit)
        .map(({ amount_cents, currency, donation_day, id, refunded_amount_cents }) => {
          return { id, donation_day, amount_cents, refunded_amount_cents, currency }
        })
    ),
  languageOf: (organisation_id, donor_id, year) =>
    memory.read((state) =>
      Option.fromNullishOr(
        giftsOf(state, organisation_id, donor_id, year)
          .filter(({ language }) => language !== null)
          .toSorted(byDay)
          .at(-1)?.language
      )
    ),
  sumsOf: (organisation_id, donor_id, year) =>
    memory.read((state) => {
      const groups = Arr.groupBy(giftsOf(state, organisation_id, donor_id, year), ({ currency }): string => currency)
      return Object.entries(groups)
        .map(([currency, gifts]) => ({
          currency,
          gift_count: gifts.length,
          amount_cents: gifts.reduce((sum, gift) => sum + gift.amount_cents, 0),
          refunded_amount_cents: gifts.reduce((sum, gift) => sum + gift.refunded_amount_cents, 0)
        }))
        .toSorted((a, b) => compareCodePoints(a.currency, b.currency))
    })
}))
