import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result, Schema } from "effect"
import fc from "fast-check"
import * as Donation from "../../../src/domain/giving/Donation.ts"
import { DonationId } from "../../../src/domain/kernel/Ids.ts"
import { parse } from "../../../src/domain/kernel/Listing.ts"
import { decide } from "../../../src/domain/kernel/Machine.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { instant } from "../../../src/testing/Generators.ts"
import { donations } from "../../../src/testing/subjects/Donations.ts"
import { dayMillis } from "../../../src/testing/subjects/Month.ts"
import { hasForm } from "../../support/InputForms.ts"
import { forEvery } from "../../support/Property.ts"

it("a donation by bank transfer lapses after 14 days, and not a millisecond earlier", () =>
  forEvery(donations.states, fc.integer({ min: -5, max: 5 }), (any, offset) => {
    const waiting: Donation.Donation = { ...any, status: "PENDING", payment_method: "bank_transfer" }
    const at = DateTime.addDuration(waiting.created_at, 14 * dayMillis + offset)
    assert.strictEqual(Result.isSuccess(decide(Donation.machine, waiting, { _tag: "Lapse", at })), offset >= 0)
  }))

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

  it("is of money, or of things that are named and described", () => {
    const things = { donation_type: "IN_KIND", in_kind_category: "FOOD", in_kind_description: "Ten boxes" }
    assert.isTrue(hasForm(Donation.NewDonation, { donation_type: "MONETARY" }))
    assert.isTrue(hasForm(Donation.NewDonation, things))
    for (const missing of ["in_kind_category", "in_kind_description"]) {
      assert.isFalse(hasForm(Donation.NewDonation, { ...things, [missing]: null }))
    }
    assert.isFalse(hasForm(Donation.NewDonation, { ...things, donation_type: "OTHER" }))
  })
})

it("a gift that is made anew after it failed is one of which nothing was received or given back", () =>
  forEvery(donations.states, arbitraryOf(DonationId), instant, (failed, id, at) => {
    const anew = Donation.anewOf(failed, id, at)
    const { status: _, ...given } = failed
    assert.deepStrictEqual(anew, {
      ...given,
      ...{ id, created_at: at, updated_at: at },
      ...{ refunded_amount_cents: 0, failure_code: null, received_date: null, received_day: null, deleted_at: null }
    })
  }))

describe("donations as they are shown", () => {
  const internal =
    `organisation_id donation_day received_day consent_responses differs_from_record failure_code charge_id credit_id
    checkout_link_id recipient_account_link_id`.split(/\s+/)

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
