import { Array as Arrays, Effect, HashMap, Layer, Option } from "effect"
import * as Refund from "../../../domain/giving/Refund.ts"
import type { LedgerEntryId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import * as Charge from "../../../domain/payments/Charge.ts"
import { balancesOf, type LedgerEntry } from "../../../domain/payments/Ledger.ts"
import * as PaymentException from "../../../domain/payments/PaymentException.ts"
import { LedgerStore, type OrganisationBalances } from "../../../ports/payments/LedgerStore.ts"
import { Memory } from "../Memory.ts"
import { makeRecords } from "../Records.ts"
import { add, get, records, type State } from "../State.ts"

/** What the transfers of a payment hold that have not ended. */
const pendingIn = (state: State, { organisation_id, subject_id }: Charge.Charge): number =>
  Option.match(get(state.payments, organisation_id, subject_id), {
    onNone: () => 0,
    onSome: ({ allocations }) =>
      allocations
        .filter((transfer) => Rule.holds(Charge.undistributed, transfer))
        .reduce((sum, { net_amount_cents }) => sum + net_amount_cents, 0)
  })

/** What the organisation's records in a currency say that is held. */
const heldByRecords = (state: State, organisation_id: OrganisationId, currency: string): bigint => {
  const refunds = Array.from(records(state.refunds, organisation_id))
    .filter((refund) => Rule.holds(Refund.held, refund))
    .filter(({ charge_id }) => {
      const charge = charge_id === null ? Option.none() : get(state.charges, organisation_id, charge_id)
      return Option.exists(charge, (each) => each.currency === currency)
    })
    .map(({ amount_cents }) => amount_cents)
  const exceptions = Array.from(records(state.paymentExceptions, organisation_id))
    .filter((each) => Rule.holds(PaymentException.unresolved, each) && each.currency === currency)
    .map(({ held_cents }) => held_cents)
  const shares = Array.from(records(state.charges, organisation_id))
    .filter((charge) => Rule.holds(Charge.shared, charge) && charge.currency === currency)
    .map((charge) => (charge.processor_fee_cents === null ? charge.amount_cents : pendingIn(state, charge)))
  return [...refunds, ...exceptions, ...shares].reduce((sum, cents) => sum + BigInt(cents), 0n)
}

const balancesIn = (state: State): ReadonlyArray<OrganisationBalances> => {
  const entries = HashMap.toValues(state.ledgerEntries).flatMap((table) => HashMap.toValues(table))
  const groups = Arrays.groupBy(entries, ({ currency, organisation_id }) => `${organisation_id} ${currency}`)
  return Object.entries(groups)
    .toSorted(([a], [b]) => compareCodePoints(a, b))
    .map(([, group]) => {
      const { currency, organisation_id } = Arrays.headNonEmpty(group)
      const held_by_records = heldByRecords(state, organisation_id, currency)
      return { organisation_id, currency, balances: balancesOf(group), held_by_records }
    })
}

/** The ledger in memory. */
export const layer = Layer.effect(
  LedgerStore,
  Effect.map(Memory, (memory) => {
    const { find, list } = makeRecords<LedgerEntry, LedgerEntryId>(memory, {
      table: (state) => state.ledgerEntries,
      with: (state, ledgerEntries) => ({ ...state, ledgerEntries }),
      columns: (entry) => ({ ...entry, created_at: entry.at })
    })
    return LedgerStore.of({
      find,
      list,
      append: (entries) =>
        memory.change((state) => ({
          ...state,
          ledgerEntries: entries.reduce((table, entry) => add(table, entry), state.ledgerEntries)
        })),
      balances: memory.read(balancesIn)
    })
  })
)
