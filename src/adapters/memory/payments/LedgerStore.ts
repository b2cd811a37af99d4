import { Array as Arr, HashMap, Option } from "effect"
import * as Donation from "../../../domain/giving/Donation.ts"
import * as Refund from "../../../domain/giving/Refund.ts"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { receivedCents } from "../../../domain/payments/BankTransfer.ts"
import * as Charge from "../../../domain/payments/Charge.ts"
import {
  type Disagreement,
  disagreementOf,
  movedRule,
  type PaidInvoice,
  type SharedPart,
  type SharedPayment,
  settledRule,
  underWayRule,
  type What
} from "../../../domain/payments/Disagreement.ts"
import * as Dispute from "../../../domain/payments/Dispute.ts"
import * as Invoice from "../../../domain/payments/Invoice.ts"
import { balancesOf, type LedgerEntry } from "../../../domain/payments/Ledger.ts"
import * as PaymentException from "../../../domain/payments/PaymentException.ts"
import { type BookedRecord, misbookedRecords, unbookedGifts } from "../../../domain/payments/RecordBooking.ts"
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
  const { allocations, currency, total_amount_cents, transfers_begun_at } = payment.value
  const attempts = (id: string) => where(state.transferAttempts, organisation_id, (each) => each.allocation_id === id)
  const parts = allocations.map(({ donation_id, id, recipient_organisation_id, ...part }): SharedPart => {
    const gift = donation_id === null ? Option.none() : get(state.donations, recipient_organisation_id, donation_id)
    const own = attempts(id)
    const gifts = where(state.donations, recipient_organisation_id, (each) => each.allocation_id === id)
    return {
      ...part,
      gift: Option.getOrNull(gift),
      live_gifts: gifts.filter((each) => Rule.holds(Donation.liveRule, each)).length,
      gifts: gifts.length,
      brought_cents: own
        .filter((each) => Rule.holds(movedRule, each))
        .reduce((sum, each) => sum + (each.reversed_id === null ? 1 : -1) * each.amount_cents, 0),
      under_way: own.filter((each) => Rule.holds(underWayRule, each)).length
    }
  })
  const isPaid = Rule.holds(settledRule, payment.value)
  return { currency, isBegun: transfers_begun_at !== null, isPaid, total_amount_cents, parts }
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

/** Payments to a bank account that count towards a charge. */
const creditsOf = (state: State, { id, organisation_id }: Charge.Charge) =>
  ofCharge(records(state.credits, organisation_id), id)

/** The sum of those, less what of them was too much. */
const creditedOf = (state: State, charge: Charge.Charge): number => {
  const credits = creditsOf(state, charge)
  const excess = ofCharge(records(state.paymentExceptions, charge.organisation_id), charge.id).filter(
    ({ kind, subject_id }) => kind === "overpaid" && credits.some(({ id }) => id === subject_id)
  )
  return receivedCents(credits) - receivedCents(excess)
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
    paid_invoices: ofCharge(records(state.invoices, organisation_id), id).filter((each) =>
      Rule.holds(Invoice.paidRule, each)
    ).length,
    credited_cents: creditedOf(state, charge),
    refunds: ofCharge(records(state.refunds, organisation_id), id),
    disputes: ofCharge(records(state.disputes, organisation_id), id),
    transferred_cents: purpose === "payment" ? sharesOf(state, charge, Charge.distributedRule) : 0,
    entries: ofCharge(records(state.ledgerEntries, organisation_id), id)
  })
}

const refundRecord = (state: State, refund: Refund.Refund): BookedRecord => {
  const { amount_cents, charge_id, donation_id, id, is_beside_gift, organisation_id } = refund
  const charge = charge_id === null ? Option.none() : get(state.charges, organisation_id, charge_id)
  const gift = Option.filter(get(state.donations, organisation_id, donation_id), ({ credit_id }) => credit_id !== null)
  const isOfDispute = where(state.disputes, organisation_id, (each) => each.refund_id === id).length > 0
  return {
    id,
    currency: Option.match(
      Option.orElse(charge, () => gift),
      { onNone: () => "", onSome: ({ currency }) => currency }
    ),
    amount_cents,
    returned_cents: Rule.holds(Refund.paidRule, refund) ? amount_cents : 0,
    isBooked: !is_beside_gift && !isOfDispute && (Option.isSome(charge) || Option.isSome(gift))
  }
}

/** The records that entries of the books name as their causes. */
const causesIn = (state: State, organisation_id: OrganisationId): ReadonlyArray<BookedRecord> => {
  const all = <A>(table: Table<A>) => Array.from(records(table, organisation_id))
  const free = { amount_cents: null, returned_cents: null, isBooked: false }
  return [
    ...all(state.charges).map(({ currency, id }) => ({ ...free, currency, id })),
    ...all(state.credits).map(({ amount_cents, currency, id, part_of }) => ({
      ...free,
      currency,
      id,
      amount_cents,
      isBooked: part_of === null
    })),
    ...all(state.paymentExceptions).map(({ currency, held_cents, id }) => ({
      ...free,
      currency,
      id,
      amount_cents: held_cents
    })),
    ...all(state.transferAttempts).map(({ amount_cents, currency, id }) => ({ ...free, currency, id, amount_cents })),
    ...all(state.disputes).map((dispute) => ({
      id: dispute.id,
      currency: Option.getOrThrow(get(state.charges, organisation_id, dispute.charge_id)).currency,
      amount_cents: dispute.amount_cents,
      returned_cents: Rule.holds(Dispute.lostRule, dispute) ? dispute.amount_cents : 0,
      isBooked: true
    })),
    ...all(state.refunds).map((refund) => refundRecord(state, refund))
  ]
}

/** What the books say otherwise than the records, in whichever currency. */
const disagreementsOf = (state: State, organisation_id: OrganisationId) => {
  const charges = Array.from(records(state.charges, organisation_id))
  const paid = new Set(charges.filter((each) => Rule.holds(Charge.paidRule, each)).map(({ subject_id }) => subject_id))
  const ofCharges = charges.flatMap((charge) => {
    const what = whatOf(state, charge)
    return what === null ? [] : [{ subject_id: charge.id, what, currency: charge.currency }]
  })
  const unpaid = where(state.payments, organisation_id, (each) => Rule.holds(settledRule, each))
    .filter(({ id }) => !paid.has(id))
    .map(({ currency, id }) => ({ subject_id: id, what: "unpaid" as const, currency }))
  const booked = [
    ...misbookedRecords(causesIn(state, organisation_id), Array.from(records(state.ledgerEntries, organisation_id))),
    ...unbookedGifts(
      Array.from(records(state.donations, organisation_id)),
      Array.from(records(state.paymentExceptions, organisation_id))
    )
  ].map(({ currency, id }) => ({ subject_id: id, what: "record" as const, currency }))
  return [...ofCharges, ...unpaid, ...booked]
}

const disagreementsIn = (state: State, organisation_id: OrganisationId, wanted: string): ReadonlyArray<Disagreement> =>
  disagreementsOf(state, organisation_id)
    .filter(({ currency }) => currency === wanted)
    .toSorted((a, b) => compareCodePoints(a.subject_id, b.subject_id))
    .slice(0, shownMaximum)
    .map(({ subject_id, what }) => ({ subject_id, what }))

/** What of payments to a bank account waits for the rest of a gift's money. */
const unmatchedByRecords = (state: State, organisation_id: OrganisationId, currency: string): bigint =>
  where(
    state.charges,
    organisation_id,
    (charge) => Rule.holds(Charge.unendedRule, charge) && charge.currency === currency
  ).reduce((sum, charge) => sum + BigInt(Math.min(receivedCents(creditsOf(state, charge)), charge.amount_cents)), 0n)

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
      unmatched_by_records: unmatchedByRecords(state, organisation_id, currency),
      disagreements: disagreementsIn(state, organisation_id, currency)
    }))
}

export const layer = storeOf(LedgerStore, (memory) => {
  const { find, list } = makeRecords(memory, {
    ...tableOf("ledgerEntries"),
    columns: (entry) => ({ ...entry, created_at: entry.at })
  })
  return {
    find,
    list,
    append: (entries) =>
      memory.changeTable("ledgerEntries", (ledgerEntries) =>
        entries.reduce((table, entry) => add(table, entry), ledgerEntries)
      ),
    balances: memory.read(balancesIn)
  }
})
