import { assert, it } from "@effect/vitest"
import fc from "fast-check"
import { Cause } from "../../../src/domain/payments/Ledger.ts"
import { type BookedRecord, misbookedRecords } from "../../../src/domain/payments/RecordBooking.ts"
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
  assert.deepStrictEqual(misbookedRecords([], [entry, entry]), [{ id: "rec", currency: "AUD" }])
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
