import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import fc from "fast-check"
import * as Donation from "../../../src/domain/giving/Donation.ts"
import { parse } from "../../../src/domain/kernel/Listing.ts"
import { decide } from "../../../src/domain/kernel/Machine.ts"
import { donations } from "../../../src/testing/subjects/Donations.ts"
import { instant } from "../../../src/testing/subjects/Month.ts"

const { states } = donations
const { machine } = Donation

const permits = (donation: Donation.Donation, command: Donation.Command): boolean =>
  Result.isSuccess(decide(machine, donation, command))

describe("a gift that is paid for", () => {
  const pending = states.map((given): Donation.Donation => ({ ...given, status: "PENDING" }))

  it("enters a network where it is paid by direct debit or PayTo", () => {
    fc.assert(
      fc.property(pending, instant, (gift, at) => {
        assert.strictEqual(
          permits(gift, { _tag: "EnterNetwork", at }),
          ["au_becs_debit", "payto"].includes(`${gift.payment_method}`)
        )
      })
    )
  })

  it("that is confirmed is refunded in part or to the end, whichever the amount says, and never by more", () => {
    const confirmed = states.filter(({ status }) => status === "CONFIRMED")
    fc.assert(
      fc.property(confirmed, instant, fc.integer({ min: 1, max: 5 }), (gift, at, amount_cents) => {
        const left = gift.amount_cents - gift.refunded_amount_cents
        assert.strictEqual(permits(gift, { _tag: "RefundPart", at, amount_cents }), amount_cents < left)
        assert.strictEqual(permits(gift, { _tag: "RefundRest", at, amount_cents }), amount_cents === left)
      })
    )
  })
})

describe("the input of a new donation", () => {
  const accepts = (given: object) =>
    Schema.is(Donation.NewDonation)({
      donor_id: "x",
      donation_type: "MONETARY",
      amount_cents: 1,
      donation_date: "2026-03-01",
      ...given
    })

  it("names a donor, and a way of paying that the organisation takes by itself, if any", () => {
    for (const payment_method of ["cash", "cheque", "bank_transfer", "other", null]) {
      assert.isTrue(accepts({ payment_method }), String(payment_method))
    }
    for (const wrong of [{ payment_method: "card" }, { donor_id: "" }]) assert.isFalse(accepts(wrong))
    assert.isTrue(accepts({}))
  })
})

describe("donations as they are shown", () => {
  const internal = [
    "organisation_id",
    "donation_day",
    "received_day",
    "consent_responses",
    "differs_from_record",
    "failure_code",
    "charge_id",
    "checkout_link_id"
  ]

  it("keep to themselves what is internal, and the donor as submitted is for the single read", () => {
    assert.doesNotHaveAnyKeys(Donation.DonationRecord.fields, [...internal, "submitted_donor"])
    assert.doesNotHaveAnyKeys(Donation.DonationDetail.fields, internal)
    assert.property(Donation.DonationDetail.fields, "submitted_donor")
  })

  it("are listed by the day on which they were given where a bare date is asked for, by the instant otherwise", () => {
    const columnOf = (field: string, value: string) =>
      Result.getOrThrow(parse(Donation.listing, [[`${field}[gte]`, value]])).conditions[0]?.column
    assert.strictEqual(columnOf("donation_date", "2026-03-01"), "donation_day")
    assert.strictEqual(columnOf("donation_date", "2026-03-01T00:00:00Z"), "donation_date")
    assert.strictEqual(columnOf("received_date", "2026-03-01"), "received_day")
    assert.strictEqual(columnOf("received_date", "2026-03-01T00:00:00Z"), "received_date")
  })
})
