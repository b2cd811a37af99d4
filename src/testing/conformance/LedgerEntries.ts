import { Effect, Exit, Option, Struct } from "effect"
import fc from "fast-check"
import * as Refund from "../../domain/giving/Refund.ts"
import { OrganisationId } from "../../domain/kernel/Ids.ts"
import * as Charge from "../../domain/payments/Charge.ts"
import { BalancedAccount, Cause, LedgerEntry, listing } from "../../domain/payments/Ledger.ts"
import * as PaymentException from "../../domain/payments/PaymentException.ts"
import * as Transfer from "../../domain/sharing/Transfer.ts"
import { DonationStore } from "../../ports/giving/DonationStore.ts"
import { RefundStore } from "../../ports/giving/RefundStore.ts"
import { ChargeStore } from "../../ports/payments/ChargeStore.ts"
import { LedgerStore } from "../../ports/payments/LedgerStore.ts"
import { PaymentExceptionStore } from "../../ports/payments/PaymentExceptionStore.ts"
import { PaymentStore } from "../../ports/sharing/PaymentStore.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { refundOf } from "./Donations.ts"
import { rowFor } from "./MachineRows.ts"
import { entryOf, exceptionOf, newCharge, newDonor, newLink, paymentOf, setOf } from "./MoneyRecords.ts"
import { recordStore } from "./RecordStores.ts"
import { at, donationOf, freshId, newOrganisation } from "./Records.ts"
import { inTransaction, lawsOf, none, runsOf, same, type Thoroughness } from "./Suite.ts"

const { law, property } = lawsOf(LedgerStore)

const balancesOf = Effect.fnUntraced(function* (organisation_id: OrganisationId) {
  const all = yield* (yield* LedgerStore).balances
  return all.filter((each) => each.organisation_id === organisation_id)
})

/** The sum that came less the sum that went, account by account. */
const balanceOf = (entries: ReadonlyArray<LedgerEntry>, account: BalancedAccount): bigint => {
  const sum = (side: "from_account" | "to_account") =>
    entries
      .filter((each) => (each[side].startsWith("recipient:") ? "recipients" : each[side]) === account)
      .reduce((all, each) => all + BigInt(each.amount_cents), 0n)
  return sum("to_account") - sum("from_account")
}

const accounts = (entries: ReadonlyArray<LedgerEntry>) =>
  Object.fromEntries(BalancedAccount.literals.map((account) => [account, balanceOf(entries, account)]))

const balances = (given: Thoroughness) => [
  property(
    "balances are what came less what went, by organisation and currency, however large",
    [],
    runsOf(given),
    fc.array(
      fc.tuple(
        Generators.ledgerEntry,
        fc.record({
          currency: fc.constantFrom("AUD", "JPY"),
          // Sums of these are beyond what a double holds.
          amount_cents: fc.oneof(fc.constant(Number.MAX_SAFE_INTEGER), fc.integer({ min: 1, max: 5 }))
        }),
        fc.option(fc.constant({ from_account: "donor", to_account: "organisation" } as const))
      ),
      { maxLength: 8 }
    ),
    function* (drawn, { store, id: organisation_id, other }) {
      const entries = yield* Effect.forEach(drawn, ([entry, given, accounts]) =>
        Effect.map(
          freshId("ledgerEntry"),
          (id): LedgerEntry => ({ ...entry, ...given, ...accounts, id, organisation_id, charge_id: null })
        )
      )
      yield* store.append(entries)
      // The other organisation is the last of all, by its id.
      const last = OrganisationId.make(`org_${"7".padEnd(20, "z")}${other.slice(-6)}`)
      yield* newOrganisation({ id: last })
      yield* store.append([yield* entryOf(last)])
      assert.lengthOf(yield* balancesOf(last), 1)
      const expected = ["AUD", "JPY"].flatMap((currency) => {
        const own = entries.filter((each) => each.currency === currency)
        return own.length === 0
          ? []
          : [{ organisation_id, currency, balances: accounts(own), held_by_records: 0n, unmatched_by_records: 0n }]
      })
      const found = yield* balancesOf(organisation_id)
      same<unknown>(found.map(Struct.omit(["disagreements"])), expected)
    }
  ),

  law("what is held by records is what refunds under way and open exceptions hold", function* ({ id }) {
    yield* (yield* LedgerStore).append([yield* entryOf(id)])
    const charge = yield* newCharge(id)
    const yen = yield* newCharge(id, { currency: "JPY" })
    const donor = yield* newDonor(id)
    const gift = yield* Effect.tap(donationOf(donor, { charge_id: charge.id }), (yield* DonationStore).insert)
    let amount_cents = 1
    const drafts = Refund.Status.literals.flatMap((status) =>
      [true, false].map((is_beside_gift) => ({ status, is_beside_gift }))
    )
    const refunds = yield* Effect.forEach(drafts, (draft) => {
      amount_cents *= 2
      return refundOf(gift, { ...draft, charge_id: charge.id, amount_cents })
    })
    for (const refund of refunds) yield* (yield* RefundStore).insert(refund)
    const attached = yield* (yield* ChargeStore).attached(id, charge.id)
    same(attached, { refunds: true, disputes: false, exceptions: false })
    // Of another currency, and of no charge.
    yield* (yield* RefundStore).insert(yield* refundOf(gift, { charge_id: yen.id, amount_cents: 5 }))
    yield* (yield* RefundStore).insert(yield* refundOf(gift, { charge_id: null, amount_cents: 7 }))
    const exceptions = yield* Effect.forEach(PaymentException.Status.literals, (status) => {
      amount_cents *= 2
      return exceptionOf(id, { status, amount_cents, held_cents: amount_cents })
    })
    for (const exception of exceptions) yield* (yield* PaymentExceptionStore).insert(exception)
    yield* (yield* PaymentExceptionStore).insert(
      yield* exceptionOf(id, { amount_cents: 9, held_cents: 9, currency: "JPY" })
    )
    const succeeds = rowFor(Refund.machine, { _tag: "Succeed", at: at(1), processor_reference: null })
    const resolved = { at: at(1), note: "Done", by: "ada", donation_id: null }
    const resolves = rowFor(PaymentException.machine, { _tag: "Resolve", ...resolved })
    succeeds.meet(refunds)
    resolves.meet(exceptions)
    const held = [
      ...refunds.filter(succeeds.isTaken).map((each) => each.amount_cents),
      ...exceptions.filter(resolves.isTaken).map((each) => each.held_cents)
    ]
    const [found] = yield* balancesOf(id)
    same(found?.held_by_records, BigInt(held.reduce((sum, cents) => sum + cents, 0)))
  }),

  law("what is held for recipients is what came, and with its fee known what has not gone", function* ({ id }) {
    const recipient = yield* newOrganisation()
    yield* (yield* LedgerStore).append([yield* entryOf(id)])
    const links = yield* Effect.forEach(Transfer.Status.literals, () => newLink(id, recipient))
    let amount_cents = 0
    let held = 0
    for (const status of Charge.Status.literals) {
      for (const processor_fee_cents of [null, 3]) {
        amount_cents += 10_000
        const drafted = yield* paymentOf(yield* setOf(id, []), links, { recommendation_set_id: null })
        const allocations = drafted.allocations.map((each, index) => ({
          ...each,
          transfer_status: Transfer.Status.literals[index] ?? each.transfer_status,
          net_amount_cents: 2 ** index
        }))
        const payment = { ...drafted, allocations }
        yield* (yield* PaymentStore).insert(payment)
        yield* newCharge(id, { purpose: "payment", subject_id: payment.id, status, amount_cents, processor_fee_cents })
        // A gift's charge of the same amount holds nothing.
        yield* newCharge(id, { status, amount_cents, processor_fee_cents })
        const pending = allocations.filter((each) => each.transfer_status === "pending")
        const left = pending.reduce((sum, each) => sum + each.net_amount_cents, 0)
        if (status === "SUCCEEDED") held += processor_fee_cents === null ? amount_cents : left
      }
    }
    const [found] = yield* balancesOf(id)
    same(found?.held_by_records, BigInt(held))
  })
]

/** The laws of {@link LedgerStore}. */
export const ledgerEntries = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "ledger entries",
    port: Effect.map(LedgerStore, (store) => ({ ...store, insert: (entry: LedgerEntry) => store.append([entry]) })),
    arbitrary: Generators.ledgerEntry,
    schema: LedgerEntry,
    fresh: freshId("ledgerEntry"),
    parents: (organisation_id, { charge_id }) =>
      charge_id === null ? Effect.succeed({}) : Effect.map(newCharge(organisation_id), ({ id }) => ({ charge_id: id })),
    appended: true,
    list: {
      spec: listing,
      few: fc.record({
        cause: fc.constantFrom(...Cause.literals),
        at: fc.nat(3).map(at),
        charge_id: fc.constant(null)
      }),
      columns: (entry) => ({ ...entry, created_at: entry.at })
    }
  })(({ law }) => [
    law("an entry that is there is never replaced, and nothing of its batch is written", function* ({ store, id }) {
      const [entry, next] = [yield* entryOf(id), yield* entryOf(id)]
      yield* store.append([entry])
      const batch = [next, { ...entry, amount_cents: 1 }]
      assert.isTrue(Exit.isFailure(yield* Effect.exit(inTransaction(store.append(batch)))))
      same(yield* store.find(id, entry.id), Option.some(entry))
      none(yield* store.find(id, next.id))
    }),

    ...balances(given)
  ])
