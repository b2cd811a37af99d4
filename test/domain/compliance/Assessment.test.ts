import { assert, describe, it } from "@effect/vitest"
import { DateTime, Struct } from "effect"
import fc from "fast-check"
import * as Assessment from "../../../src/domain/compliance/Assessment.ts"
import { australianRegimes } from "../../../src/domain/compliance/AustralianRegimes.ts"
import { type Duty, isOpen } from "../../../src/domain/compliance/Duty.ts"
import { periodOf, type Regime } from "../../../src/domain/compliance/Regime.ts"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import { DonationId, DonorId } from "../../../src/domain/kernel/Ids.ts"
import { forEvery } from "../../support/Property.ts"

const suffix = (digit: number) => `01h0000000000000000000000${digit}`
const idAt = (digit: number) => DonationId.make(`don_${suffix(digit)}`)
const at = DateTime.makeUnsafe("2026-12-01T00:00:00Z")
const date = (text: string): CalendarDate => CalendarDate.make(text)

/** A gift as far as stores read it. */
const giftOf = (digit: number, day: string, cents: number, rest: Partial<Assessment.AssignedGift> = {}) => {
  const gift: Assessment.AssignedGift = {
    id: idAt(digit),
    donor_id: DonorId.make(`dnr_${suffix(0)}`),
    amount_cents: cents,
    refunded_amount_cents: 0,
    currency: "AUD",
    deleted_at: null,
    donation_date: DateTime.makeUnsafe(`${day}T01:00:00Z`),
    donation_day: date(day),
    donation_type: "MONETARY",
    status: "CONFIRMED",
    jurisdiction: "AU",
    ...rest
  }
  return Struct.pick(gift, Struct.keys(Assessment.AssignedGift.fields))
}

const factsOf = (
  regime: Regime,
  gifts: ReadonlyArray<Assessment.AssignedGift>,
  caps: Assessment.Facts["caps"]
): Assessment.Facts => ({
  regime,
  period: periodOf(regime, regime.effective_from) ?? assert.fail(),
  gifts,
  caps,
  phaseOf: () => "NONE",
  timezone: "Australia/Sydney",
  at
})

const [withReturns = assert.fail(), , withNotices = assert.fail()] = australianRegimes
const assess = (facts: Assessment.Facts) => Assessment.assess(facts, Assessment.unknownBackground)
const tellingOf = (duties: ReadonlyArray<Duty>) =>
  duties.map(({ donation_id, due_at, kind }) => [
    kind,
    donation_id,
    due_at === null ? null : DateTime.formatIso(due_at)
  ])

describe("an assessment", () => {
  it("asks for one return, on 20 October after the year, once the line of a law with returns alone is crossed", () => {
    const gifts = [giftOf(0, "2025-07-01", 17_300_00), giftOf(1, "2026-06-30", 1)]
    assert.isNull(assess(factsOf(withReturns, gifts.slice(0, 1), [])))
    const { cap_cents, cap_used_cents, duties } = assess(factsOf(withReturns, gifts, [])) ?? assert.fail()
    assert.deepStrictEqual(tellingOf(duties), [["RETURN", null, "2026-10-20T12:59:59.999Z"]])
    assert.deepStrictEqual([cap_cents, cap_used_cents], [null, null])
  })

  it("adds up what was given, in kind and toward the last of its caps, and dates it by the last gift that crosses nothing", () => {
    const gifts = [
      giftOf(0, "2027-02-01", 300),
      giftOf(1, "2027-02-02", 40, { donation_type: "IN_KIND" }),
      giftOf(2, "2027-02-03", 5)
    ]
    const caps = [
      { cap_cents: 339, gifts: gifts.slice(0, 2) },
      { cap_cents: 1_000, gifts: gifts.slice(1) }
    ]
    const assessed = assess(factsOf(withNotices, gifts, caps)) ?? assert.fail()
    assert.deepInclude(assessed, { total_cents: 345, in_kind_cents: 40, cap_cents: 1_000, cap_used_cents: 45 })
    assert.strictEqual(DateTime.formatIso(assessed.crossed_at), "2027-02-03T01:00:00.000Z")
    assert.deepStrictEqual(
      assessed.duties.map(({ donation_id }) => donation_id),
      [idAt(1)]
    )
  })

  it("asks for action on gifts over a cap that are of its own period", () => {
    const days = ["2026-12-31", "2027-01-01", "2027-12-31", "2028-01-01"]
    const gifts = days.map((day, digit) => giftOf(digit, day, 1))
    const { duties } = assess(factsOf(withNotices, [], [{ cap_cents: 0, gifts }])) ?? assert.fail()
    assert.deepStrictEqual(
      duties.map(({ donation_id, kind }) => [kind, donation_id]),
      [
        ["ACTION", idAt(1)],
        ["ACTION", idAt(2)]
      ]
    )
  })

  it("leaves out what it does not name yet when it is lodged", () => {
    const gifts = [giftOf(0, "2027-02-01", 6_000_00), giftOf(1, "2027-02-02", 1)]
    const assessed = assess(factsOf(withNotices, gifts.slice(0, 1), [])) ?? assert.fail()
    const lodgement = { at, on: date("2027-02-03"), reference: "R1" }
    const { lodged_gifts, lodgement_reference } = Assessment.lodge(assessed, new Set([1]), gifts, lodgement)
    assert.deepStrictEqual(
      [lodgement_reference, ...lodged_gifts.map(({ donation_id }) => donation_id)],
      ["R1", idAt(0)]
    )
  })
})

describe("a merge", () => {
  const some = fc.array(
    fc.record({
      kind: fc.constantFrom<Duty["kind"]>("NOTICE", "AMENDMENT", "ACTION", "RETURN"),
      end: fc.constantFrom<Duty["end"]>(null, null, "LODGED", "ACTED", "NOT_NEEDED", "MOVED"),
      gift: fc.nat(1)
    }),
    { maxLength: 4 }
  )
  const dutiesOf = (all: ReadonlyArray<{ kind: Duty["kind"]; end: Duty["end"]; gift: number }>) =>
    all.map(
      ({ end, gift, kind }, index): Duty => ({
        number: index + 1,
        kind,
        donation_id: kind === "RETURN" ? null : idAt(gift),
        due_at: null,
        opened_at: at,
        closed_at: end === null ? null : at,
        end,
        lodged_on: null,
        reference: null,
        note: null
      })
    )
  const causes = (duties: ReadonlyArray<Duty>) => duties.map(({ donation_id, kind }) => `${kind} ${donation_id}`)

  it("carries what is open or was acted on of the other's gifts, and nothing that is open already", () =>
    forEvery(some, some, (own, former) => {
      const [before, other] = [dutiesOf(own), dutiesOf(former)]
      const backgroundOf = (duties: ReadonlyArray<Duty>) => ({ ...Assessment.unknownBackground, duties })
      const { duties } = Assessment.carry(backgroundOf(before), backgroundOf(other))
      const carried = duties.slice(before.length)
      assert.deepStrictEqual(duties.slice(0, before.length), before)
      assert.deepStrictEqual(
        duties.map(({ number }) => number),
        duties.map((_, index) => index + 1)
      )
      for (const { donation_id, end } of carried) assert.isTrue(donation_id !== null && [null, "ACTED"].includes(end))
      const known = causes(before.filter(isOpen))
      const wanted = other.filter(({ donation_id, end }) => donation_id !== null && (end === null || end === "ACTED"))
      assert.sameMembers([...new Set([...known, ...causes(carried)])], [...new Set([...known, ...causes(wanted)])])
      for (const cause of causes(carried)) assert.notInclude(known, cause)
    }))

  it("closes what was open of the other as moved", () =>
    forEvery(some, (given) => {
      const duties = dutiesOf(given)
      const assessed = assess(factsOf(withNotices, [giftOf(0, "2027-02-01", 6_000_00)], [])) ?? assert.fail()
      const moved = Assessment.moveDuties({ ...assessed, duties }, at)
      assert.deepStrictEqual(
        moved.duties.map(({ end }) => end),
        duties.map(({ end }) => end ?? "MOVED")
      )
    }))
})
