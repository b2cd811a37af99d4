import { assert, describe, it } from "@effect/vitest"
import { DateTime, pipe, Result } from "effect"
import fc from "fast-check"
import * as Donation from "../../../src/domain/giving/Donation.ts"
import * as CalendarDate from "../../../src/domain/kernel/CalendarDate.ts"
import * as Listing from "../../../src/domain/kernel/Listing.ts"
import * as Machine from "../../../src/domain/kernel/Machine.ts"
import * as Money from "../../../src/domain/kernel/Money.ts"
import * as Schedule from "../../../src/domain/kernel/Schedule.ts"
import * as Generators from "../../../src/testing/Generators.ts"
import { donations } from "../../../src/testing/subjects/Donations.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

describe("pure functions that are given their subject last", () => {
  it("answer what they answer when it is given first: days and instants", () => {
    const zone = fc.constantFrom("Australia/Sydney", "America/New_York", "UTC")
    const frequency = fc.constantFrom(...Schedule.Frequency.literals)
    forEveryWith(
      { numRuns: 50 },
      Generators.instant,
      Generators.instant,
      zone,
      frequency,
      fc.nat(9),
      (at, then, zone, each, n) => {
        const [day, after] = [CalendarDate.dayOf(at, zone), CalendarDate.dayOf(then, zone)]
        assert.strictEqual(pipe(at, CalendarDate.dayOf(zone)), day)
        assert.strictEqual(String(pipe(at, CalendarDate.inZone(zone))), String(CalendarDate.inZone(at, zone)))
        assert.strictEqual(pipe(day, CalendarDate.isAfterDayOf(then, zone)), CalendarDate.isAfterDayOf(day, then, zone))
        const instants = [CalendarDate.startOfDay, Schedule.dueAt, Schedule.endOfDay]
        for (const of of instants) assert.isTrue(DateTime.Equivalence(pipe(day, of(zone)), of(day, zone)))
        assert.strictEqual(pipe(day, Schedule.addDays(n)), Schedule.addDays(day, n))
        assert.strictEqual(pipe(day, Schedule.addMonths(n)), Schedule.addMonths(day, n))
        assert.strictEqual(pipe(day, Schedule.dueDay(each, n)), Schedule.dueDay(day, each, n))
        assert.strictEqual(pipe(day, Schedule.nextDueDay(each, after)), Schedule.nextDueDay(day, each, after))
      }
    )
  })

  it("the same of amounts and of queries", () => {
    assert.strictEqual(pipe(500, Money.centsOf("amount_cents")), 500)
    assert.throws(() => pipe(-5, Money.centsOf("amount_cents")), RangeError)
    const query = Result.getOrThrow(Listing.parse(Donation.listing, []))
    assert.deepStrictEqual(pipe(query, Listing.within("donor_id", "a")), Listing.within(query, "donor_id", "a"))
  })

  it("the same of a machine's record", () =>
    forEvery(donations.states, donations.commands, (gift, command) => {
      const { machine } = Donation
      const decided = Machine.decide(machine, gift, command)
      assert.deepStrictEqual(pipe(gift, Machine.decide(machine, command)), decided)
      assert.strictEqual(pipe(gift, Machine.can(machine, command)), Result.isSuccess(decided))
      if (Result.isFailure(decided)) return
      const { state, transition } = decided.success
      assert.deepStrictEqual(pipe(gift, Machine.evolve(machine, transition)), state)
    }))
})
