import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import * as Election from "../../../src/domain/compliance/Election.ts"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import { addDays } from "../../../src/domain/kernel/Schedule.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const date = (text: string): CalendarDate => CalendarDate.make(text)
const known = new Set(["AU", "AU-NSW"])
const election: fc.Arbitrary<Election.Election> = fc
  .record({
    jurisdiction: fc.constantFrom(...known),
    from: fc.integer({ min: 0, max: 40_000 }),
    days: fc.integer({ min: 1, max: 100 })
  })
  .map(({ days, from, jurisdiction }) => {
    const writ_on = addDays(date("1970-01-01"), from)
    return Election.Election.make({ jurisdiction, name: "Election", writ_on, polling_on: addDays(writ_on, days) })
  })

const isSaturday = (day: CalendarDate): boolean => new Date(`${day}T00:00:00Z`).getUTCDay() === 6

describe("an election", () => {
  it("counts from the writ to the seventh day after polling, and is expedited from the Saturday before on", () =>
    forEveryWith({ numRuns: 500 }, election, fc.integer({ min: -10, max: 10 }), fc.boolean(), (held, offset, isEnd) => {
      const day = addDays(isEnd ? held.polling_on : held.writ_on, offset)
      let saturday = addDays(held.polling_on, -1)
      while (!isSaturday(saturday)) saturday = addDays(saturday, -1)
      const isHeld = day >= held.writ_on && day <= addDays(held.polling_on, 7)
      const expected = isHeld ? (day >= saturday ? "EXPEDITED" : "ELECTION") : "NONE"
      assert.strictEqual(Election.electionAt([held], held.jurisdiction, day), expected)
      assert.strictEqual(Election.electionAt([held], "AU-VIC", day), "NONE")
      assert.isTrue(held.writ_on <= Election.expeditedFrom(held))
    }))

  it("is of the most urgent phase where two are held", () =>
    forEvery(election, election, fc.integer({ min: -20, max: 130 }), (one, two, offset) => {
      const other = { ...two, jurisdiction: one.jurisdiction }
      const day = addDays(one.writ_on, offset)
      const urgency = (held: ReadonlyArray<Election.Election>) =>
        ["NONE", "ELECTION", "EXPEDITED"].indexOf(Election.electionAt(held, one.jurisdiction, day))
      assert.strictEqual(urgency([other, one]), Math.max(urgency([one]), urgency([other])))
    }))

  it("may be kept beside those of which it shares no day, whatever their order", () =>
    forEvery(election, fc.constantFrom(...known), fc.integer({ min: -20, max: 120 }), (one, jurisdiction, offset) => {
      const writ_on = addDays(one.writ_on, offset)
      const other = { ...one, jurisdiction, writ_on, polling_on: addDays(writ_on, 10) }
      const isApart =
        jurisdiction !== one.jurisdiction ||
        other.writ_on > addDays(one.polling_on, 7) ||
        one.writ_on > addDays(other.polling_on, 7)
      for (const both of [
        [one, other],
        [other, one]
      ]) {
        assert.strictEqual(Election.electionsFault(both, known) === null, isApart)
      }
    }))

  it("is refused with a sentence where it cannot be", () => {
    const held = (given: Partial<Election.Election>) =>
      Election.electionsFault(
        [
          {
            jurisdiction: "AU",
            name: "General election",
            writ_on: date("2028-04-17"),
            polling_on: date("2028-05-20"),
            ...given
          }
        ],
        known
      )
    assert.isNull(held({}))
    assert.isNull(held({ polling_on: date("2028-07-26") }))
    assert.match(held({ polling_on: date("2028-07-27") }) ?? "", /at most 100 days after the writ\.$/u)
    assert.match(held({ polling_on: date("2028-04-17") }) ?? "", /must come before polling day\.$/u)
    assert.match(held({ jurisdiction: "AU-VIC" }) ?? "", /AU-VIC, which is not known: name one of AU, AU-NSW/u)
    assert.isNull(held({ writ_on: date("9999-12-01"), polling_on: date("9999-12-31") }))
    assert.strictEqual(Election.lastDayOf({ polling_on: date("9999-12-31") }), "9999-12-31")
  })
})
