import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { Organisation } from "../../src/domain/access/Organisation.ts"
import { Donation } from "../../src/domain/giving/Donation.ts"
import { Donor } from "../../src/domain/giving/Donor.ts"
import { dayOf } from "../../src/domain/kernel/CalendarDate.ts"
import * as Scenarios from "../../src/testing/Scenarios.ts"
import { fieldsOf } from "../support/Answer.ts"
import { forEveryWith } from "../support/Property.ts"

const scenario = Scenarios.donor().gifts(6).refunded(1).partlyRefunded(1).failed(1).pending(2)

const holds = (law: (world: Scenarios.World) => void): void => forEveryWith({ numRuns: 60 }, scenario.arbitrary, law)

const sorted = (ids: ReadonlyArray<string>): void => assert.deepStrictEqual(ids, [...ids].sort())

describe("a donor with gifts", () => {
  it("has the gifts that were asked for", () => {
    holds(({ donations }) => {
      const kinds = donations.map(({ amount_cents, refunded_amount_cents, status }) => {
        if (status !== "CONFIRMED") return status
        assert.isBelow(refunded_amount_cents, amount_cents)
        return refunded_amount_cents > 0 ? "CONFIRMED in part" : "CONFIRMED"
      })
      assert.deepStrictEqual(kinds.sort(), [
        "CONFIRMED",
        "CONFIRMED in part",
        "FAILED",
        "PENDING",
        "PENDING",
        "REFUNDED"
      ])
    })
  })

  it("is of one tenant and one currency, and every record passes its schema", () => {
    const [isOrganisation, isDonor, isDonation] = [Schema.is(Organisation), Schema.is(Donor), Schema.is(Donation)]
    holds(({ donations, donor, events, organisation }) => {
      assert.isTrue(isOrganisation(organisation) && isDonor(donor) && donations.every(isDonation))
      for (const { organisation_id } of [donor, ...donations, ...events]) {
        assert.strictEqual(organisation_id, organisation.id)
      }
      for (const { currency, donor_id } of donations) {
        assert.deepStrictEqual([currency, donor_id], [organisation.default_currency, donor.id])
      }
    })
  })

  it("follows the calendar: the organisation, then the donor, then the gifts; ids sort by time", () => {
    holds(({ donations, donor, events, organisation }) => {
      assert.isTrue(DateTime.isLessThanOrEqualTo(organisation.created_at, donor.created_at))
      for (const { created_at, donation_date, donation_day, updated_at } of donations) {
        assert.isTrue(DateTime.isLessThanOrEqualTo(donor.created_at, created_at))
        assert.isTrue(DateTime.isLessThanOrEqualTo(created_at, updated_at))
        assert.strictEqual(donation_day, dayOf(donation_date, organisation.timezone))
      }
      sorted(events.map(({ occurred_at }) => DateTime.formatIso(occurred_at)))
      const ids = [...donations, ...events].map(({ id }) => id)
      assert.strictEqual(new Set(ids).size, ids.length)
      const instants = donations.map(({ created_at }) => DateTime.toEpochMillis(created_at))
      if (new Set(instants).size === instants.length) sorted(donations.map(({ id }) => id))
    })
  })

  it("emitted what its gifts went through, the last event saying how each is now", () => {
    const types = {
      PENDING: ["donation.created"],
      FAILED: ["donation.created", "donation.failed"],
      CONFIRMED: ["donation.created", "donation.succeeded"],
      REFUNDED: ["donation.created", "donation.succeeded", "donation.refunded"]
    }
    holds(({ donations, donor, events }) => {
      assert.deepInclude(JSON.parse(events[0]?.body ?? ""), { type: "donor.created" })
      assert.strictEqual(JSON.parse(events[0]?.body ?? "").data.id, donor.id)
      for (const { id, refunded_amount_cents, status } of donations) {
        const own = events.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.id === id)
        const partly = status === "CONFIRMED" && refunded_amount_cents > 0
        assert.deepStrictEqual(fieldsOf(own, "type"), types[partly ? "REFUNDED" : status])
        assert.deepInclude(own.at(-1).data, { status, refunded_amount_cents })
      }
    })
  })

  it.each([1.5, -1, Number.NaN, Number.POSITIVE_INFINITY])("is refused with %d gifts of a kind", (count) => {
    assert.throws(() => Scenarios.donor().gifts(count), RangeError, /gifts is .*whole number from 0/)
    assert.throws(() => Scenarios.donor().gifts(2).refunded(count), RangeError, /refunded is/)
  })

  it("is refused where more gifts have an outcome than there are gifts", () => {
    assert.throws(() => Scenarios.donor().gifts(1).refunded(1).failed(1).arbitrary, RangeError)
    assert.doesNotThrow(() => Scenarios.donor().arbitrary)
  })
})
