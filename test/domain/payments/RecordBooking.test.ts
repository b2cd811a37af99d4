import { assert, it } from "@effect/vitest"
import fc from "fast-check"
import { CreditId, DonationId } from "../../../src/domain/kernel/Ids.ts"
import { Cause } from "../../../src/domain/payments/Ledger.ts"
import { type BookedRecord, misbookedRecords, unbookedGifts } from "../../../src/domain/payments/RecordBooking.ts"
import { forEvery } from "../../support/Property.ts"

const record = (given: Partial<BookedRecord> = {}): BookedRecord => ({
  id: "rec",
  currency: "AUD",
  amount_cents: 500,
  returned_cents: null,
  isBooked: false,
  ...given
})

const entry = {
  cause: "refund",
  cause_id: "rec",
  currency: "AUD",
  from_account: "organisation",
  to_account: "held",
  amount_cents: 500
} as const

const idsOf = (...given: Parameters<typeof misbookedRecords>): ReadonlyArray<string> =>
  misbookedRecords(...given).map(({ id }) => id)

it("entries of what is not there are told, and records that must have entries and have none", () => {
  assert.deepStrictEqual(misbookedRecords([], [entry]), [{ id: "rec", currency: "AUD" }])
  assert.deepStrictEqual(misbookedRecords([record({ isBooked: true })], []), [{ id: "rec", currency: "AUD" }])
  assert.deepStrictEqual(idsOf([record(), record({ id: "other" })], [entry]), [])
})

it("entries that move all of a record have its amount: parts of payments to a bank account and fees do not", () =>
  forEvery(fc.constantFrom(...Cause.literals), fc.integer({ min: 1, max: 499 }), (cause, amount_cents) => {
    const found = (from_account: "bank" | "unmatched", to_account: "held" | "processor_fees") =>
      idsOf([record()], [entry, { ...entry, cause, from_account, to_account, amount_cents }])
    assert.deepStrictEqual(found("bank", "held"), cause === "charge" ? [] : ["rec"])
    assert.deepStrictEqual(found("unmatched", "held"), cause === "charge" || cause === "credit" ? [] : ["rec"])
    assert.deepStrictEqual(
      found("unmatched", "processor_fees"),
      ["charge", "credit", "dispute"].includes(cause) ? [] : ["rec"]
    )
  }))

it("what went back to the donor is what the record says, whichever way it went", () => {
  const paid = { ...entry, from_account: "held", to_account: "donor" } as const
  const back = { ...entry, from_account: "donor", to_account: "organisation" } as const
  for (const [entries, returned] of [
    [[entry], 0],
    [[entry, paid], 500],
    [[entry, paid, back], 0]
  ] as const) {
    assert.deepStrictEqual(idsOf([record({ returned_cents: returned })], entries), [])
    assert.deepStrictEqual(idsOf([record({ returned_cents: 500 - returned })], entries), ["rec"])
    assert.deepStrictEqual(idsOf([record({ returned_cents: null })], entries), [])
  }
})

it("a gift that was booked from money on a bank account is what one exception held, and is there", () => {
  const id = DonationId.make("don_01jqz6x8h4e5vb9m2k7ncw3t5d")
  const credit_id = CreditId.make("crd_01jqz6x8h4e5vb9m2k7ncw3t5d")
  const gift = { id, credit_id, amount_cents: 800, currency: "AUD" } as const
  const money = { held_cents: 800, currency: "AUD", donation_id: id } as const
  const other = DonationId.make("don_01jqz6x8h4e5vb9m2k7ncw3t5e")
  const countOf = (...given: Parameters<typeof unbookedGifts>) => unbookedGifts(...given).length
  assert.strictEqual(countOf([gift], [money]), 0)
  assert.strictEqual(countOf([{ ...gift, credit_id: null }], [{ ...money, donation_id: null }]), 0)
  assert.deepStrictEqual(unbookedGifts([], [money]), [{ id, currency: "AUD" }])
  assert.strictEqual(countOf([{ ...gift, credit_id: null }], [money]), 1)
  assert.strictEqual(countOf([gift, { ...gift, id: other }], [money]), 1)
  assert.strictEqual(countOf([gift], [money, money]), 1)
  for (const [changed, count] of [
    [{ held_cents: 799 }, 1],
    [{ currency: "NZD" }, 1],
    [{ donation_id: null }, 1],
    [{ donation_id: other }, 2]
  ] as const) {
    assert.strictEqual(countOf([gift], [{ ...money, ...changed }]), count)
  }
})
