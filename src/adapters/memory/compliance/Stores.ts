import { Array as Arr, DateTime, Effect, Equal, HashMap, Layer, Option, Order, Result, Struct } from "effect"
import { AssignedGift, countableRule, countedCents } from "../../../domain/compliance/Assessment.ts"
import {
  byDefaultRule,
  type CodedGift,
  type DefaultCode,
  effectiveCodeOf
} from "../../../domain/compliance/DefaultCode.ts"
import { type Disclosure, derivedColumns, presentRule } from "../../../domain/compliance/Disclosure.ts"
import { NamedDonor, NamedGift } from "../../../domain/compliance/DisclosureExport.ts"
import { byWrit, electionKey } from "../../../domain/compliance/Election.ts"
import { PendingGift, pendingRule } from "../../../domain/compliance/PendingGift.ts"
import { usualKind } from "../../../domain/compliance/Regime.ts"
import type { UncodedSum } from "../../../domain/compliance/UncodedGifts.ts"
import type { Donation } from "../../../domain/giving/Donation.ts"
import type { Donor } from "../../../domain/giving/Donor.ts"
import type { RevenueCode } from "../../../domain/giving/RevenueCode.ts"
import type { DonorId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { compareCodePoints, emailKey } from "../../../domain/kernel/Text.ts"
import { inFlight } from "../../../domain/sharing/Payment.ts"
import { isGiven } from "../../../domain/sharing/Transfer.ts"
import { CapStore } from "../../../ports/compliance/CapStore.ts"
import { DefaultCodeStore } from "../../../ports/compliance/DefaultCodeStore.ts"
import { type DisclosedPeriod, DisclosureStore, type Recount } from "../../../ports/compliance/DisclosureStore.ts"
import { ElectionStore } from "../../../ports/compliance/ElectionStore.ts"
import { type Memory, storeOf } from "../Memory.ts"
import { makeRecords, tableOf } from "../Records.ts"
import { every, get, put, records, remove, type State, where } from "../State.ts"

const defaultsOf = (state: State, organisation_id: string): ReadonlyArray<DefaultCode> =>
  Array.from(records(state.defaultCodes, organisation_id)).toSorted((a, b) =>
    compareCodePoints(a.recipient_account_link_id ?? "", b.recipient_account_link_id ?? "")
  )

const codeOf = (state: State, gift: CodedGift): RevenueCode | null => {
  const id = effectiveCodeOf(gift, defaultsOf(state, gift.organisation_id))
  return id === null ? null : Option.getOrNull(get(state.revenueCodes, gift.organisation_id, id))
}

const jurisdictionOf = (state: State, gift: CodedGift): string | null => codeOf(state, gift)?.jurisdiction ?? null

const assigned = (state: State, gift: Donation): AssignedGift =>
  Struct.pick({ ...gift, jurisdiction: jurisdictionOf(state, gift) }, Struct.keys(AssignedGift.fields))

const nameOf: (donor: Donor) => NamedDonor = Struct.pick(Struct.keys(NamedDonor.fields))

const lineOf: (gift: Donation) => NamedGift = Struct.pick(Struct.keys(NamedGift.fields))

const disclosures = {
  ...tableOf("disclosures"),
  columns: (disclosure: Disclosure) => ({ ...disclosure, ...derivedColumns(disclosure) })
}

const present = (disclosure: Disclosure): boolean => Rule.holds(presentRule, disclosure)

const keepRecount = (state: State, recount: Recount): State => ({
  ...state,
  recounts: HashMap.set(state.recounts, recount.organisation_id, recount)
})

type Part<Name extends keyof DisclosureStore["Service"]> = Pick<DisclosureStore["Service"], Name>

const recountsOn = (
  memory: Memory["Service"]
): Part<"donorsAfter" | "dueRecount" | "moveRecount" | "recountOf" | "requestRecount" | "requestRecounts"> => ({
  requestRecount: (organisation_id, due_at) =>
    memory.change((state) => keepRecount(state, { organisation_id, due_at, after_donor_id: "", is_asked: true })),
  requestRecounts: (due_at) =>
    memory.changeTable("recounts", (recounts) =>
      HashMap.map(recounts, (recount) => ({ ...recount, due_at, after_donor_id: "", is_asked: true }))
    ),
  dueRecount: (now) =>
    memory.read((state) =>
      Option.fromUndefinedOr(
        HashMap.toValues(state.recounts)
          .filter(({ due_at }) => DateTime.isLessThanOrEqualTo(due_at, now))
          .toSorted((a, b) => a.due_at.epochMilliseconds - b.due_at.epochMilliseconds)[0]
      )
    ),
  recountOf: (organisation_id) => memory.read((state) => HashMap.get(state.recounts, organisation_id)),
  moveRecount: (recount, next) =>
    memory.change((state) => {
      const kept = HashMap.get(state.recounts, recount.organisation_id)
      return Option.isSome(kept) && Equal.equals(kept.value, recount)
        ? keepRecount(state, { ...recount, ...next })
        : state
    }),
  donorsAfter: (organisation_id, after, limit) =>
    memory.read((state) => {
      const gifts = where(state.donations, organisation_id, (gift) => Rule.holds(countableRule, gift))
      const donors = [
        ...gifts.filter((gift) => jurisdictionOf(state, gift) !== null),
        ...where(state.disclosures, organisation_id, present)
      ].map(({ donor_id }) => donor_id)
      return [...new Set(donors)]
        .filter((id) => id > after)
        .toSorted(compareCodePoints)
        .slice(0, limit)
    })
})

/** Gifts that count in a period, whatever their codes. */
const giftsIn = (state: State, organisation_id: string, { currency, ends_on, starts_on }: DisclosedPeriod) =>
  where(
    state.donations,
    organisation_id,
    (gift) =>
      starts_on <= gift.donation_day &&
      gift.donation_day <= ends_on &&
      gift.currency === currency &&
      Rule.holds(countableRule, gift)
  )

const donorSums = (gifts: ReadonlyArray<Donation>): ReadonlyMap<DonorId, number> => {
  const sums = new Map<DonorId, number>()
  for (const gift of gifts) {
    sums.set(gift.donor_id, (sums.get(gift.donor_id) ?? 0) + gift.amount_cents - gift.refunded_amount_cents)
  }
  return sums
}

const differencesOn = (memory: Memory["Service"]): Part<"differences"> => ({
  differences: (organisation_id, period, limit) =>
    memory.read((state) => {
      const { jurisdiction, least_cents, starts_on } = period
      const sums = donorSums(
        giftsIn(state, organisation_id, period).filter((gift) => jurisdictionOf(state, gift) === jurisdiction)
      )
      const told = where(
        state.disclosures,
        organisation_id,
        (each) => each.jurisdiction === jurisdiction && each.starts_on === starts_on && present(each)
      )
      const recorded = new Map(told.map(({ donor_id, total_cents }) => [donor_id, total_cents]))
      return [...new Set([...sums.keys(), ...recorded.keys()])]
        .toSorted(compareCodePoints)
        .map((donor_id) => {
          return { donor_id, counted_cents: sums.get(donor_id) ?? 0, recorded_cents: recorded.get(donor_id) ?? null }
        })
        .filter(({ counted_cents, recorded_cents }) =>
          recorded_cents === null ? counted_cents >= least_cents : counted_cents !== recorded_cents
        )
        .slice(0, limit)
    })
})

const byAmount = Order.combine(
  Order.flip(Order.mapInput(Order.Number, countedCents)),
  Order.mapInput(Order.String, ({ id }: AssignedGift): string => id)
)

type GiftsOfCode = readonly [Donation, ...ReadonlyArray<Donation>]

/** What gifts of one code come to, beside what their donors gave that counts. */
const uncodedSum = (
  state: State,
  gifts: GiftsOfCode,
  counted: ReadonlyMap<DonorId, number>,
  least_cents: number
): UncodedSum => {
  const [first] = gifts
  const code = codeOf(state, first)
  const sums = [...donorSums(gifts)]
  const isOver = (donor: DonorId, more: number): boolean => (counted.get(donor) ?? 0) + more >= least_cents
  return {
    revenue_code_id: code?.id ?? null,
    code: code?.code ?? null,
    namespace: code?.namespace ?? null,
    is_by_default: Rule.holds(byDefaultRule, first),
    gifts: gifts.length,
    donors: sums.length,
    sum_cents: sums.reduce((sum, [, cents]) => sum + cents, 0),
    crossing_donors: sums.filter(([donor, cents]) => !isOver(donor, 0) && isOver(donor, cents)).length,
    over_donors: sums.filter(([donor]) => isOver(donor, 0)).length,
    donation_ids: gifts
      .map((gift) => assigned(state, gift))
      .toSorted(byAmount)
      .slice(0, Limits.uncodedGiftsShown)
      .map(({ id }) => id)
  }
}

const byCode = (a: UncodedSum, b: UncodedSum): number =>
  Number(a.code === null) - Number(b.code === null) ||
  compareCodePoints(a.code ?? "", b.code ?? "") ||
  compareCodePoints(a.revenue_code_id ?? "", b.revenue_code_id ?? "") ||
  Number(b.is_by_default) - Number(a.is_by_default)

const uncodedOn = (memory: Memory["Service"]): Part<"uncoded"> => ({
  uncoded: (organisation_id, period) =>
    memory.read((state) => {
      const gifts = giftsIn(state, organisation_id, period)
      const counted = donorSums(gifts.filter((gift) => jurisdictionOf(state, gift) === period.jurisdiction))
      const groups: Readonly<Record<string, GiftsOfCode>> = Arr.groupBy(
        gifts.filter((gift) => jurisdictionOf(state, gift) === null),
        (gift): string => `${codeOf(state, gift)?.id} ${Rule.holds(byDefaultRule, gift)}`
      )
      return Object.values(groups)
        .map((group) => uncodedSum(state, group, counted, period.least_cents))
        .toSorted(byCode)
    })
})

const disclosureStore = storeOf(DisclosureStore, (memory) => ({
  ...makeRecords(memory, disclosures),
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
    memory.read((state) => ids.flatMap((id) => Option.toArray(get(state.donors, organisation_id, id))).map(nameOf)),
  giftsNamed: (organisation_id, ids) =>
    memory.read((state) => ids.flatMap((id) => Option.toArray(get(state.donations, organisation_id, id))).map(lineOf)),
  ...recountsOn(memory),
  ...differencesOn(memory),
  ...uncodedOn(memory)
}))

const linkName = (link: string | null): string => link ?? ""

const defaultCodeStore = storeOf(DefaultCodeStore, (memory) => ({
  set: (code) =>
    memory.changeTable("defaultCodes", (defaultCodes) =>
      put(defaultCodes, code.organisation_id, linkName(code.recipient_account_link_id), code)
    ),
  clear: (organisation_id, link) =>
    memory.changeTable("defaultCodes", (defaultCodes) => remove(defaultCodes, organisation_id, linkName(link))),
  ofOrganisation: (organisation_id) => memory.read((state) => defaultsOf(state, organisation_id)),
  incomingLinks: (organisation_id) =>
    memory.read((state) =>
      every(state.recipientAccounts)
        .filter((link) => link.recipient_organisation_id === organisation_id)
        .map(({ id, organisation_id: from_organisation_id, recipient_account_label: account_label }) => {
          return { id, from_organisation_id, account_label }
        })
        .toSorted((a, b) => compareCodePoints(a.id, b.id))
    )
}))

const allElections = (memory: Memory["Service"]) =>
  memory.read((state) => HashMap.toValues(state.elections).toSorted(byWrit))

const electionStore = storeOf(ElectionStore, (memory) => ({
  all: allElections(memory),
  // Transactions run one after the other.
  allForUpdate: allElections(memory),
  add: (election) =>
    memory.changeTable("elections", (elections) => HashMap.set(elections, electionKey(election), election)),
  remove: (election) => memory.changeTable("elections", (elections) => HashMap.remove(elections, electionKey(election)))
}))

/** The donor, and those who were merged into the donor. */
const leadingTo = (state: State, organisation_id: string, id: string): ReadonlyArray<Donor> => [
  ...Option.toArray(get(state.donors, organisation_id, id)),
  ...where(state.donors, organisation_id, ({ merged_into_donor_id }) => merged_into_donor_id === id).flatMap((merged) =>
    leadingTo(state, organisation_id, merged.id)
  )
]

const keysOf = (donors: ReadonlyArray<Donor>): ReadonlyArray<string> =>
  donors.flatMap(({ email }) => (email === null ? [] : [emailKey(email)]))

type CodedPending = CodedGift & Omit<PendingGift, "jurisdiction">

/** Renewals of a donor whose charge has not ended. */
const renewalsOf = (
  state: State,
  organisation_id: OrganisationId,
  donor_id: DonorId | null
): ReadonlyArray<CodedPending> =>
  where(state.subscriptions, organisation_id, (each) => each.donor_id === donor_id).flatMap(({ id, revenue_code_id }) =>
    where(state.invoices, organisation_id, ({ subscription_id }) => subscription_id === id).flatMap((invoice) =>
      where(
        state.charges,
        organisation_id,
        (charge) => charge.id === invoice.charge_id && charge.purpose === "invoice" && charge.ended_at === null
      ).map(({ created_at, currency, method }) => ({
        organisation_id,
        source: "PAYMENT_PROCESSOR",
        revenue_code_id,
        recipient_account_link_id: null,
        amount_cents: invoice.amount_cents,
        currency,
        payment_method: method,
        donation_date: created_at
      }))
    )
  )

/** Parts of payments to sets that are under way to an organisation, of givers whose addresses have these keys. */
const partsOf = (
  state: State,
  organisation_id: OrganisationId,
  keys: ReadonlySet<string>
): ReadonlyArray<CodedPending> =>
  every(state.payments)
    .filter((payment) => {
      const { link_donor_id, submitted_donor } = payment
      const donor = link_donor_id === null ? Option.none() : get(state.donors, payment.organisation_id, link_donor_id)
      const email = link_donor_id === null ? submitted_donor?.email : Option.getOrNull(donor)?.email
      return Rule.holds(inFlight, payment) && typeof email === "string" && keys.has(emailKey(email))
    })
    .flatMap(({ allocations, created_at, currency, payment_method_type }) =>
      allocations
        .filter((part) => part.recipient_organisation_id === organisation_id && isGiven(part))
        .map((part) => ({
          organisation_id,
          source: "RECOMMENDATION_SET",
          revenue_code_id: null,
          recipient_account_link_id: part.recipient_org_account_link_id,
          amount_cents: part.gross_amount_cents,
          currency,
          payment_method: payment_method_type,
          donation_date: created_at
        }))
    )

const pendingOn = (memory: Memory["Service"]): Pick<CapStore["Service"], "pendingGifts"> => ({
  pendingGifts: (organisation_id, { donor_id, email }) =>
    memory.read((state) => {
      const donors = donor_id === null ? [] : leadingTo(state, organisation_id, donor_id)
      const keys = new Set([...keysOf(donors), ...(email === null ? [] : [emailKey(email)])])
      const waiting = (gift: Donation) => gift.donor_id === donor_id && Rule.holds(pendingRule, gift)
      return [
        ...where(state.donations, organisation_id, waiting),
        ...renewalsOf(state, organisation_id, donor_id),
        ...partsOf(state, organisation_id, keys)
      ].flatMap((gift) => {
        const jurisdiction = jurisdictionOf(state, gift)
        return jurisdiction === null ? [] : [Struct.pick({ ...gift, jurisdiction }, Struct.keys(PendingGift.fields))]
      })
    })
})

const capStore = storeOf(CapStore, (memory) => ({
  ...pendingOn(memory),
  isBlocking: (organisation_id) => memory.read((state) => HashMap.has(state.capBlocks, organisation_id)),
  setBlocking: (organisation_id, is_blocking) =>
    memory.changeTable("capBlocks", (capBlocks) =>
      is_blocking ? HashMap.set(capBlocks, organisation_id, true as const) : HashMap.remove(capBlocks, organisation_id)
    ),
  kindOf: (organisation_id, donor_id) =>
    memory.read((state) =>
      Option.getOrElse(HashMap.get(state.donorKinds, `${organisation_id} ${donor_id}`), () => usualKind)
    ),
  setKind: (organisation_id, donor_id, kind) =>
    memory.changeTable("donorKinds", (donorKinds) => HashMap.set(donorKinds, `${organisation_id} ${donor_id}`, kind))
}))

export const layer = Layer.mergeAll(disclosureStore, defaultCodeStore, electionStore, capStore)
