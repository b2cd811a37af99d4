import { DateTime, Effect, HashMap, Option, Result } from "effect"
import { type AssignedGift, countableRule } from "../../../domain/compliance/Assessment.ts"
import { type Disclosure, presentRule } from "../../../domain/compliance/Disclosure.ts"
import type { Donation } from "../../../domain/giving/Donation.ts"
import type { DisclosureId } from "../../../domain/kernel/Ids.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { DisclosureStore } from "../../../ports/compliance/DisclosureStore.ts"
import { storeOf } from "../Memory.ts"
import { makeRecords, type RecordTable, tableOf } from "../Records.ts"
import { every, get, type State, where } from "../State.ts"

const jurisdictionOf = (state: State, { organisation_id, revenue_code_id }: Donation): string | null =>
  revenue_code_id === null
    ? null
    : Option.match(get(state.revenueCodes, organisation_id, revenue_code_id), {
        onNone: () => null,
        onSome: ({ jurisdiction }) => jurisdiction
      })

const assigned = (state: State, gift: Donation): AssignedGift => ({
  ...gift,
  jurisdiction: jurisdictionOf(state, gift)
})

const disclosures: RecordTable<Disclosure> = tableOf("disclosures")

const present = (disclosure: Disclosure): boolean => Rule.holds(presentRule, disclosure)

const disclosureStore = storeOf(DisclosureStore, (memory) => ({
  ...makeRecords<Disclosure, DisclosureId>(memory, disclosures),
  // Transactions run one after the other.
  hold: () => Effect.void,
  jurisdictionOf: (gift) => memory.read((state) => jurisdictionOf(state, gift)),
  giftsOf: (organisation_id, donor_id, from, to) =>
    memory.read((state) =>
      where(
        state.donations,
        organisation_id,
        (gift) =>
          gift.donor_id === donor_id &&
          from <= gift.donation_day &&
          gift.donation_day <= to &&
          Rule.holds(countableRule, gift)
      )
        .map((gift) => assigned(state, gift))
        .filter(({ jurisdiction }) => jurisdiction !== null)
    ),
  ofSpan: ({ donor_id, jurisdiction, organisation_id, starts_on }) =>
    memory.read((state) =>
      Option.fromUndefinedOr(
        where(
          state.disclosures,
          organisation_id,
          (each) =>
            each.donor_id === donor_id &&
            each.jurisdiction === jurisdiction &&
            each.starts_on === starts_on &&
            present(each)
        )[0]
      )
    ),
  ofDonor: (organisation_id, donor_id) =>
    memory.read((state) =>
      where(state.disclosures, organisation_id, (each) => each.donor_id === donor_id && present(each))
    ),
  organisationsDue: (until, only) =>
    memory.read((state) => {
      const due = every(state.disclosures).filter(
        ({ due_at, organisation_id }) =>
          due_at !== null &&
          DateTime.isLessThanOrEqualTo(due_at, until) &&
          (only === undefined || organisation_id === only)
      )
      return [...new Set(due.map(({ organisation_id }) => organisation_id))]
    }),
  beginReminder: (organisation_id, day) =>
    memory.decide((state) => {
      const last = HashMap.get(state.dutyReminders, organisation_id)
      if (Option.exists(last, (reminded) => reminded >= day)) return Result.succeed([false, state])
      return Result.succeed([true, { ...state, dutyReminders: HashMap.set(state.dutyReminders, organisation_id, day) }])
    }),
  donorsNamed: (organisation_id, ids) =>
    memory.read((state) => ids.flatMap((id) => Option.toArray(get(state.donors, organisation_id, id)))),
  giftsNamed: (organisation_id, ids) =>
    memory.read((state) => ids.flatMap((id) => Option.toArray(get(state.donations, organisation_id, id))))
}))

export const layer = disclosureStore
