import { Array as Arr, HashMap, Option } from "effect"
import * as Donation from "../../../domain/giving/Donation.ts"
import * as Refund from "../../../domain/giving/Refund.ts"
import type { LedgerEntryId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import * as Charge from "../../../domain/payments/Charge.ts"
import {
  type Disagreement,
  disagreementOf,
  movedRule,
  type PaidInvoice,
  type SharedPart,
  type SharedPayment,
  underWayRule,
  type What
} from "../../../domain/payments/Disagreement.ts"
import { balancesOf, type LedgerEntry } from "../../../domain/payments/Ledger.ts"
import * as PaymentException from "../../../domain/payments/PaymentException.ts"
import { LedgerStore, type OrganisationBalances, shownMaximum } from "../../../ports/payments/LedgerStore.ts"
import { storeOf } from "../Memory.ts"
import { makeRecords, tableOf } from "../Records.ts"
import { add, get, records, type State, type Table, where } from "../State.ts"

/** The sum of the rule's transfers of a payment, after fees. */
const sharesOf = (
  state: State,
  { organisation_id, subject_id }: Charge.Charge,
  rule: typeof Charge.undistributedRule
): number =>
  Option.match(get(state.payments, organisation_id, subject_id), {
    onNone: () => 0,
    onSome: ({ allocations }) =>
      allocations
        .filter((transfer) => Rule.holds(rule, transfer))
        .reduce((sum, { net_amount_cents }) => sum + net_amount_cents, 0)
  })

const heldByRecords = (state: State, organisation_id: OrganisationId, currency: string): bigint => {
  const refunds = where(state.refunds, organisation_id, (refund) => Rule.holds(Refund.pendingRule, refund))
    .filter(({ charge_id, donation_id }) =>
      charge_id === null
        ? Option.exists(
            get(state.donations, organisation_id, donation_id),
            (gift) => gift.credit_id !== null && gift.currency === currency
          )
        : Option.exists(get(state.charges, organisation_id, charge_id), (charge) => charge.currency === currency)
    )
    .map(({ amount_cents }) => amount_cents)
  const exceptions = where(
    state.paymentExceptions,
    organisation_id,
    (each) => Rule.holds(PaymentException.unresolvedRule, each) && each.currency === currency
  ).map(({ held_cents }) => held_cents)
  const shares = where(
    state.charges,
    organisation_id,
    (charge) => Rule.holds(Charge.sharedRule, charge) && charge.currency === currency
  ).map((charge) =>
    charge.processor_fee_cents === null ? charge.amount_cents : sharesOf(state, charge, Charge.undistributedRule)
  )
  return [...refunds, ...exceptions, ...shares].reduce((sum, cents) => sum + BigInt(cents), 0n)
}

const ofCharge = <A extends { readonly charge_id: string | null }>(all: Iterable<A>, id: string): ReadonlyArray<A> =>
  Array.from(all).filter(({ charge_id }) => charge_id === id)

const sharedOf = (state: State, { organisation_id, purpose, subject_id }: Charge.Charge): SharedPayment | null => {
  const payment = purpose === "payment" ? get(state.payments, organisation_id, subject_id) : Option.none()
  if (Option.isNone(payment)) return null
  const { allocations, currency, transfers_begun_at } = payment.value
  const attempts = (id: string) => where(state.transferAttempts, organisation_id, (each) => each.allocation_id === id)
  const parts = allocations.map(({ donation_id, id, recipient_organisation_id, ...part }): SharedPart => {
    const gift = donation_id === null ? Option.none() : get(state.donations, recipient_organisation_id, donation_id)
    const own = attempts(id)
    return {
      ...part,
      gift: Option.getOrNull(gift),
      live_gifts: where(state.donations, recipient_organisation_id, (each) => each.allocation_id === id).filter(
        (each) => Rule.holds(Donation.liveRule, each)
      ).length,
      brought_cents: own
        .filter((each) => Rule.holds(movedRule, each))
        .reduce((sum, each) => sum + (each.reversed_id === null ? 1 : -1) * each.amount_cents, 0),
      under_way: own.filter((each) => Rule.holds(underWayRule, each)).length
    }
  })
  return { currency, isBegun: transfers_begun_at !== null, parts }
}

const invoiceOf = (state: State, { id, organisation_id, purpose, subject_id }: Charge.Charge): PaidInvoice | null => {
  const found =
    purpose === "invoice"
      ? get(state.invoices, organisation_id, subject_id)
      : Arr.head(where(state.invoices, organisation_id, (each) => each.charge_id === id))
  return Option.match(found, {
    onNone: () => null,
    onSome: ({ donation_id, ...invoice }) => ({
      ...invoice,
      gift: donation_id === null ? null : Option.getOrNull(get(state.donations, organisation_id, donation_id))
    })
  })
}

const whatOf = (state: State, charge: Charge.Charge): What | null => {
  const { id, organisation_id, purpose, subject_id } = charge
  const raised = ofCharge(records(state.paymentExceptions, organisation_id), id)
  return disagreementOf({
    charge,
    isLate: raised.some(({ kind }) => kind === "late_success"),
    gift: purpose === "donation" ? Option.getOrNull(get(state.donations, organisation_id, subject_id)) : null,
    gifts: ofCharge(records(state.donations, organisation_id), id).length,
    shared: sharedOf(state, charge),
    invoice: invoiceOf(state, charge),
    refunds: ofCharge(records(state.refunds, organisation_id), id),
    disputes: ofCharge(records(state.disputes, organisation_id), id),
    transferred_cents: purpose === "payment" ? sharesOf(state, charge, Charge.distributedRule) : 0,
    entries: ofCharge(records(state.ledgerEntries, organisation_id), id)
  })
}

const disagreementsIn = (state: State, organisation_id: OrganisationId, currency: string) =>
  where(state.charges, organisation_id, (charge) => charge.currency === currency)
    .toSorted((a, b) => compareCodePoints(a.id, b.id))
    .flatMap((charge): ReadonlyArray<Disagreement> => {
      const what = whatOf(state, charge)
      return what === null ? [] : [{ charge_id: charge.id, what }]
    })
    .slice(0, shownMaximum)

const balancesIn = (state: State): ReadonlyArray<OrganisationBalances> => {
  const all = <A>(table: Table<A>) => HashMap.toValues(table).flatMap((ofOne) => HashMap.toValues(ofOne))
  const entries = all(state.ledgerEntries)
  const of = ({ currency, organisation_id }: Pick<LedgerEntry, "currency" | "organisation_id">) =>
    `${organisation_id} ${currency}`
  const entriesOf: Readonly<Record<string, ReadonlyArray<LedgerEntry>>> = Arr.groupBy(entries, of)
  const places = new Map([...all(state.charges), ...entries].map((each) => [of(each), each]))
  return [...places]
    .toSorted(([a], [b]) => compareCodePoints(a, b))
    .map(([place, { currency, organisation_id }]) => ({
      organisation_id,
      currency,
      balances: balancesOf(entriesOf[place] ?? []),
      held_by_records: heldByRecords(state, organisation_id, currency),
      disagreements: disagreementsIn(state, organisation_id, currency)
    }))
}

/** The ledger in memory. */
export const layer = storeOf(LedgerStore, (memory) => {
  const { find, list } = makeRecords<LedgerEntry, LedgerEntryId>(memory, {
    ...tableOf("ledgerEntries"),
    columns: (entry) => ({ ...entry, created_at: entry.at })
  })
  return {
    find,
    list,
    append: (entries) =>
      memory.change((state) => ({
        ...state,
        ledgerEntries: entries.reduce((table, entry) => add(table, entry), state.ledgerEntries)
      })),
    balances: memory.read(balancesIn)
  }
})
