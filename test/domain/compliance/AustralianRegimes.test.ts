import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { australianJurisdictions, australianRegimes } from "../../../src/domain/compliance/AustralianRegimes.ts"
import { financialYearOf, periodOf } from "../../../src/domain/compliance/Regime.ts"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import { addDays } from "../../../src/domain/kernel/Schedule.ts"
import { forEvery } from "../../support/Property.ts"

describe("Australia's regimes", () => {
  it("begin financial years on 1 July", () =>
    forEvery(fc.constantFrom(...australianRegimes), fc.nat(1_000), (regime, days) => {
      const day = addDays(regime.effective_from, days)
      const period = periodOf(regime, day, "FINANCIAL_YEAR")
      if (period !== undefined) assert.strictEqual(period.label, financialYearOf(day, 7).label)
    }))

  it("say when a gift is to be disclosed: in the federal scheme by the 21st of the next month, within 7 days and 24 hours in an election", () => {
    const [, , newScheme] = australianRegimes
    assert.strictEqual(newScheme?.action_within_weeks, 6)
    assert.deepStrictEqual(
      australianRegimes.map(({ effective_from, notice }) => ({ from: `${effective_from}`, notice })),
      [
        { from: "2025-07-01", notice: null },
        { from: "2026-07-01", notice: null },
        {
          from: "2027-01-01",
          notice: { usual: { day_of_next_month: 21 }, election_within_days: 7, expedited_within_hours: 24 }
        },
        {
          from: "2025-07-01",
          notice: { usual: { within_days: 21 }, election_within_days: null, expedited_within_hours: null }
        }
      ]
    )
  })

  it("ask parties for their returns by 20 October, and others by 17 November, as the Commission's comparison says", () => {
    const returns = australianRegimes.map(({ effective_from, returns }) =>
      [`${effective_from}`, ...returns.map(({ day, month }) => `${month}-${day}`)].join(" ")
    )
    assert.includeMembers(returns, ["2025-07-01 10-20 11-17", "2026-07-01 10-20 11-17", "2027-01-01"])
  })

  it("say where each figure stands, how sure it is, when it was checked and until when that counts", () => {
    const days = australianRegimes.map(({ checked_on, key, review_by }) => ({ key, checked_on, review_by }))
    for (const { checked_on, key, review_by } of days) assert.isTrue(checked_on < review_by, key)
    assert.lengthOf(new Set(days.map(({ key }) => key)), days.length)
    for (const { confidence, key, source_url } of australianRegimes) {
      assert.strictEqual(source_url === null, confidence === "REPORTED", key)
      assert.match(source_url ?? "https://www.aec.gov.au/", /^https:\/\/(?:www\.)?aec\.gov\.au\//)
    }
    const shipped = australianRegimes.filter(({ status }) => status === "IN_FORCE")
    for (const { code, not_shipped } of australianJurisdictions) {
      assert.strictEqual(
        shipped.some(({ jurisdiction }) => jurisdiction === code),
        not_shipped === null,
        code
      )
    }
    // ISO 3166-2:AU, and the Commonwealth.
    const codes = ["AU", "AU-ACT", "AU-NSW", "AU-NT", "AU-QLD", "AU-SA", "AU-TAS", "AU-VIC", "AU-WA"]
    assert.sameMembers(
      australianJurisdictions.map(({ code }) => code),
      codes
    )
  })

  it("keep Victoria's former scheme, with its figures, until the day before it was invalidated", () => {
    const [victoria = assert.fail(), ...others] = australianRegimes.filter(
      ({ jurisdiction }) => jurisdiction === "AU-VIC"
    )
    assert.isEmpty(others)
    assert.deepInclude(victoria, {
      status: "INVALIDATED",
      status_decided_on: CalendarDate.make("2026-04-15"),
      effective_to: CalendarDate.make("2026-04-14"),
      threshold_cents: 124_000,
      comparison: "AT_LEAST",
      caps: [{ donor_kind: "ANY", cap_cents: 497_000 }],
      cap_period_kind: "ELECTION_TERM"
    })
  })
})
