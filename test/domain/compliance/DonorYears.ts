import { assert } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import * as Assessment from "../../../src/domain/compliance/Assessment.ts"
import { australianRegimes } from "../../../src/domain/compliance/AustralianRegimes.ts"
import { isOpen } from "../../../src/domain/compliance/Duty.ts"
import { electionAt } from "../../../src/domain/compliance/Election.ts"
import { periodOf, regimeOn } from "../../../src/domain/compliance/Regime.ts"
import { CalendarDate, dayOf } from "../../../src/domain/kernel/CalendarDate.ts"
import { DonationId, DonorId } from "../../../src/domain/kernel/Ids.ts"
import { forEveryWith } from "../../support/Property.ts"
import { DutyOracle, localDay, type OracleElection, type OracleGift } from "./DutyOracle.ts"

const zones = ["Australia/Sydney", "Australia/Perth", "Australia/Lord_Howe"] as const
const yearStart = Date.parse("2027-01-01T00:00:00Z")
const dayMillis = 86_400_000

/** Amounts that often make the sum just reach a line, or cross it by a cent. */
const cents = fc.oneof(
  fc.constantFrom(1, 100_000, 250_000, 499_999, 500_000, 500_001, 2_500_000, 4_999_999),
  fc.integer({ min: 1, max: 600_000 })
)

/** Instants of the year and around it; many near midnights, or on the same day. */
const moment = fc.oneof(
  fc.integer({ min: -10, max: 375 }).map((day) => yearStart + day * dayMillis),
  fc
    .tuple(fc.integer({ min: 60, max: 66 }), fc.integer({ min: -14, max: 14 }), fc.constantFrom(-1, 0, 1))
    .map(([day, hour, millis]) => yearStart + day * dayMillis + hour * 3_600_000 + millis)
)

const index = fc.nat(5)

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ _tag: fc.constant("Give" as const), at: moment, cents, counts: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ _tag: fc.constant("Refund" as const), index, share: fc.constantFrom(2, 1) }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Undo" as const), index }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Recode" as const), index }) },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("Lodge" as const) }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Act" as const) }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Call" as const), writ: fc.integer({ min: 50, max: 90 }) }) }
)
type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

const idOf = (number: number) => DonationId.make(`don_01h000000000000000000000${String(number).padStart(2, "0")}`)
const donor_id = DonorId.make("dnr_01h00000000000000000000001")

const giftOf = ({ at, back, cents: amount_cents, counts, day, id }: OracleGift): Assessment.AssignedGift => ({
  id: DonationId.make(id),
  donor_id,
  donation_day: CalendarDate.make(day),
  donation_date: DateTime.makeUnsafe(at),
  donation_type: "MONETARY",
  status: back === amount_cents ? "REFUNDED" : "CONFIRMED",
  currency: "AUD",
  amount_cents,
  refunded_amount_cents: back,
  deleted_at: null,
  jurisdiction: counts ? "AU" : null
})

const dayAt = (number: number): string => new Date(yearStart + number * dayMillis).toISOString().slice(0, 10)

/** The gifts, and the elections, after a step. */
const after = (
  done: Step,
  gifts: ReadonlyArray<OracleGift>,
  elections: ReadonlyArray<OracleElection>,
  zone: string
): readonly [ReadonlyArray<OracleGift>, ReadonlyArray<OracleElection>] => {
  const change = (at: number, of: (gift: OracleGift) => OracleGift) =>
    gifts.map((gift, place) => (place === at ? of(gift) : gift))
  switch (done._tag) {
    case "Give": {
      const { at, cents: amount, counts } = done
      return [
        [...gifts, { id: idOf(gifts.length), at, day: localDay(at, zone), cents: amount, back: 0, counts }],
        elections
      ]
    }
    case "Refund":
      return [
        change(done.index, (gift) => ({
          ...gift,
          back: gift.back + Math.floor((gift.cents - gift.back) / done.share)
        })),
        elections
      ]
    case "Undo":
      return [change(done.index, (gift) => ({ ...gift, back: 0 })), elections]
    case "Recode":
      return [change(done.index, (gift) => ({ ...gift, counts: !gift.counts })), elections]
    case "Call":
      return [gifts, elections.length > 0 ? elections : [{ writ: dayAt(done.writ), polling: dayAt(done.writ + 33) }]]
    case "Lodge":
    case "Act":
      return [gifts, elections]
  }
}

/** A donor's year goes as the oracle says: no duty is missed, none is late, and none is asked for beside. */
const isAsTold = (steps: ReadonlyArray<Step>, zone: string): void => {
  const start = CalendarDate.make("2027-01-01")
  const regime = regimeOn(australianRegimes, "AU", start) ?? assert.fail()
  const period = periodOf(regime, start) ?? assert.fail()
  const cap_cents = regime.caps.find(({ donor_kind }) => donor_kind === "ANY")?.cap_cents ?? assert.fail()
  const oracle = new DutyOracle({ threshold: regime.threshold_cents, cap: cap_cents }, zone)
  let gifts: ReadonlyArray<OracleGift> = []
  let elections: ReadonlyArray<OracleElection> = []
  let known: Assessment.Background = Assessment.unknownBackground
  let now = yearStart + 100 * dayMillis
  const ofYear = () => gifts.filter(({ day }) => day.startsWith("2027-")).filter(({ back, cents: all }) => back < all)
  for (const done of steps) {
    now += 7 * 3_600_000
    ;[gifts, elections] = after(done, gifts, elections, zone)
    const at = DateTime.makeUnsafe(now)
    const called = elections.map(({ polling, writ }) => ({
      jurisdiction: "AU",
      name: "General election",
      writ_on: CalendarDate.make(writ),
      polling_on: CalendarDate.make(polling)
    }))
    const counted = Assessment.countedGifts(gifts.map(giftOf), { regime, period })
    const facts: Assessment.Facts = {
      regime,
      period,
      gifts: counted,
      cap: { cap_cents, gifts: counted },
      phaseOf: (day) => electionAt(called, "AU", day),
      timezone: zone,
      at
    }
    const assessed = Assessment.assess(facts, known)
    const expected = oracle.look(ofYear(), elections, now)
    const open = assessed?.duties.filter(isOpen) ?? []
    assert.deepStrictEqual(
      open.map((duty) => `${duty.kind} ${duty.donation_id} ${duty.due_at?.epochMilliseconds}`).toSorted(),
      [...expected].map(([key, due]) => `${key} ${due}`).toSorted()
    )
    if (assessed === null) continue
    known = assessed
    if (done._tag === "Lodge") {
      const numbers = new Set(open.filter(({ kind }) => kind !== "ACTION").map(({ number }) => number))
      if (numbers.size === 0) continue
      known = Assessment.lodge(assessed, numbers, counted, { at, on: dayOf(at, zone), reference: "1" })
      oracle.lodge(ofYear())
    }
    const action = open.find(({ kind }) => kind === "ACTION")
    if (done._tag === "Act" && action !== undefined) {
      known = Assessment.act(assessed, action.number, "handed over", at)
      oracle.act(String(action.donation_id))
    }
  }
}

/** Holds so many random years of a donor against the oracle. */
export const holdYears = (numRuns: number): void =>
  forEveryWith({ numRuns }, fc.array(step, { maxLength: 14 }), fc.constantFrom(...zones), isAsTold)
