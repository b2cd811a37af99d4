import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import { australianRegimes } from "../../../src/domain/compliance/AustralianRegimes.ts"
import * as Disclosure from "../../../src/domain/compliance/Disclosure.ts"
import { crosses, Regime } from "../../../src/domain/compliance/Regime.ts"
import { Donation } from "../../../src/domain/giving/Donation.ts"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import { RevenueCodeId } from "../../../src/domain/kernel/Ids.ts"
import { addDays } from "../../../src/domain/kernel/Schedule.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { disclosures } from "../../../src/testing/subjects/Disclosures.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const { states } = disclosures

const [template = assert.fail()] = australianRegimes
const code = RevenueCodeId.make("rev_01h00000000000000000000001")
const foreign = RevenueCodeId.make("rev_01h00000000000000000000002")
const first = CalendarDate.make("2026-01-01")
const period = { label: "2026", starts_on: first, ends_on: addDays(first, 30) }

const reach: fc.Arbitrary<Disclosure.Reach> = fc
  .record({ threshold_cents: fc.integer({ min: 1, max: 12 }), comparison: fc.constantFrom("OVER", "AT_LEAST") })
  .map((line) => ({ regime: Regime.make({ ...template, ...line }), period, assigned: new Set([code]) }))

/** Gifts that mostly count, and some that fail to for one reason or another. */
const gift: fc.Arbitrary<Donation> = fc
  .record({
    any: arbitraryOf(Donation),
    status: fc.constantFrom("CONFIRMED", "CONFIRMED", "CONFIRMED", "PENDING", "REFUNDED", "FAILED"),
    offset: fc.integer({ min: -2, max: 32 }),
    amount_cents: fc.integer({ min: 1, max: 6 }),
    refunded: fc.nat(6),
    revenue_code_id: fc.constantFrom(code, code, code, foreign, null),
    currency: fc.constantFrom("AUD", "AUD", "AUD", "NZD"),
    deleted: fc.constantFrom(false, false, false, true)
  })
  .map(({ any, deleted, offset, refunded, ...given }): Donation => {
    const donation_day = addDays(first, offset)
    const donation_date = DateTime.makeUnsafe(`${donation_day}T00:00:00Z`)
    const refunded_amount_cents = Math.min(refunded, given.amount_cents)
    const deleted_at = deleted ? donation_date : null
    return { ...any, ...given, donation_day, donation_date, refunded_amount_cents, deleted_at }
  })

const gifts = fc.uniqueArray(gift, { maxLength: 6, selector: ({ id }) => id })

const countedByHand = (each: Donation): boolean =>
  each.status === "CONFIRMED" &&
  each.deleted_at === null &&
  each.currency === "AUD" &&
  each.revenue_code_id === code &&
  each.donation_day >= "2026-01-01" &&
  each.donation_day <= "2026-01-31"

const kept = (each: Donation): number => each.amount_cents - each.refunded_amount_cents
const sumOf = (given: ReadonlyArray<Donation>): number => given.reduce((sum, each) => sum + kept(each), 0)

describe("disclosure", () => {
  it("is overdue after its due date, due soon for a week before it, and neither once it ended", () => {
    const due_at = DateTime.makeUnsafe("2027-02-21T12:59:59.999Z")
    const cases = [
      [-8 * 86_400_000, "LATER"],
      [-7 * 86_400_000 - 1, "LATER"],
      [-7 * 86_400_000, "DUE_SOON"],
      [0, "DUE_SOON"],
      [1, "OVERDUE"]
    ] as const
    forEvery(states, fc.constantFrom(...cases), (any, [millis, urgency]) => {
      const isOpen = any.status === "PENDING" || any.status === "REVIEW"
      const now = DateTime.add(due_at, { milliseconds: millis })
      assert.strictEqual(Disclosure.urgencyOf({ ...any, due_at }, now), isOpen ? urgency : null)
      assert.isNull(Disclosure.urgencyOf({ ...any, due_at: null }, now))
    })
  })

  it("says the same in its record and its events, and nothing internal", () =>
    forEvery(states, (any) => {
      assert.deepStrictEqual(Disclosure.eventDataOf(any), Disclosure.recordOf(any))
      assert.sameMembers(Object.keys(Disclosure.recordOf(any)), Object.keys(Disclosure.DisclosureRecord.fields))
      assert.doesNotHaveAnyKeys(Disclosure.recordOf(any), ["organisation_id", "comparison"])
    }))
})

describe("a tally", () => {
  it("adds up what counts, in-kind included, refunds taken off", () =>
    forEveryWith({ numRuns: 200 }, gifts, reach, (given, within) => {
      const counted = given.filter(countedByHand)
      const tally = Disclosure.tally(given, within)
      assert.sameMembers(
        [...tally.donation_ids],
        counted.map(({ id }) => id)
      )
      assert.strictEqual(tally.total_cents, sumOf(counted))
      assert.strictEqual(tally.in_kind_cents, sumOf(counted.filter(({ donation_type }) => donation_type === "IN_KIND")))
    }))

  it("names gifts by day, then by instant, then by id", () => {
    const few = fc.uniqueArray(
      fc.record({ any: gift, day: fc.nat(2), millis: fc.nat(2) }).map(({ any, day, millis }): Donation => {
        const donation_date = DateTime.makeUnsafe(Date.UTC(2026, 0, 1) + millis)
        return { ...any, donation_day: addDays(first, day), donation_date }
      }),
      { minLength: 2, maxLength: 8, selector: ({ id }) => id }
    )
    const keyOf = ({ donation_date, donation_day, id }: Donation): string =>
      `${donation_day} ${DateTime.formatIso(donation_date)} ${id}`
    forEveryWith({ numRuns: 200 }, few, reach, (given, within) => {
      const keys = given.filter(countedByHand).map(keyOf)
      const named = Disclosure.tally(given, within).donation_ids
      assert.deepStrictEqual(
        [...named],
        keys.toSorted((a, b) => (a < b ? -1 : 1)).map((key) => key.split(" ")[2])
      )
    })
  })

  it("crosses with the gift that takes the total over the line, in whatever order it is told", () =>
    forEveryWith({ numRuns: 200 }, gifts, reach, (given, within) => {
      const tally = Disclosure.tally(given, within)
      assert.deepStrictEqual(Disclosure.tally(given.toReversed(), within), tally)
      assert.strictEqual(tally.crossed_at !== null, crosses(within.regime, tally.total_cents))
      if (tally.crossed_at === null) return
      const { crossed_at } = tally
      const counted = given.filter(countedByHand)
      const before = counted.filter((each) => DateTime.isLessThan(each.donation_date, crossed_at))
      const until = counted.filter((each) => DateTime.isLessThanOrEqualTo(each.donation_date, crossed_at))
      assert.isFalse(crosses(within.regime, sumOf(before)))
      assert.isTrue(crosses(within.regime, sumOf(until)))
    }))
})
