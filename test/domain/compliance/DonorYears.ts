import { assert } from "@effect/vitest"
import { DateTime, Result, Struct } from "effect"
import fc from "fast-check"
import * as Assessment from "../../../src/domain/compliance/Assessment.ts"
import { australianRegimes } from "../../../src/domain/compliance/AustralianRegimes.ts"
import { isOpen } from "../../../src/domain/compliance/Duty.ts"
import { electionAt } from "../../../src/domain/compliance/Election.ts"
import { periodOf, regimeOn } from "../../../src/domain/compliance/Regime.ts"
import * as Donation from "../../../src/domain/giving/Donation.ts"
import * as Refund from "../../../src/domain/giving/Refund.ts"
import { CalendarDate, dayOf } from "../../../src/domain/kernel/CalendarDate.ts"
import { DonationId, DonorId, OrganisationId, RefundId } from "../../../src/domain/kernel/Ids.ts"
import { forEveryWith } from "../../support/Property.ts"
import { DutyOracle, localDay, type OracleElection, type OracleGift } from "./DutyOracle.ts"

const zones = ["Australia/Sydney", "Australia/Perth", "Australia/Lord_Howe"] as const
const yearStart = Date.parse("2027-01-01T00:00:00Z")
const dayMillis = 86_400_000

/** Amounts that often make the sum just reach a line, or cross it by a cent. */
const cents = fc.oneof(
  fc.constantFrom(1, 100_000, 250_000, 499_999, 500_000, 500_001, 2_500_000, 4_999_999, 5_000_001),
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
const donor = fc.nat(1)

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ _tag: fc.constant("Give" as const), donor, at: moment, cents, counts: fc.boolean() })
  },
  { weight: 3, arbitrary: fc.record({ _tag: fc.constant("Refund" as const), index, share: fc.constantFrom(2, 1) }) },
  { weight: 3, arbitrary: fc.record({ _tag: fc.constant("Decide" as const), index, share: fc.constantFrom(3, 1) }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Undo" as const), index }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Recode" as const), index }) },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("Lodge" as const), donor }) },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("Act" as const), donor }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Merge" as const) }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Call" as const), writ: fc.integer({ min: 50, max: 90 }) }) }
)
type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

const suffix = (number: number): string => `01h000000000000000000000${String(number).padStart(2, "0")}`
const donors = [0, 1].map((number) => DonorId.make(`dnr_${suffix(number)}`))
const donorAt = (number: number) => donors[number] ?? assert.fail()

/** A gift as the product keeps it, and what it is to the oracle. */
interface Gift {
  readonly told: OracleGift
  readonly kept: Donation.Donation
  readonly rows: ReadonlyArray<Refund.Refund>
  /** The dispute of it: what it is about, and the row of its loss; none where it was won. */
  readonly dispute: { readonly cents: number; readonly lost: Refund.Refund | null } | null
}

/** Two donors at one recipient, of whom the second may turn out to be the first. */
interface World {
  readonly gifts: ReadonlyArray<Gift>
  readonly elections: ReadonlyArray<OracleElection>
  readonly isMerged: boolean
}

const give = (
  { at, cents: amount_cents, counts }: Extract<Step, { _tag: "Give" }>,
  given: number,
  by: number,
  zone: string
): Gift => {
  const [id, day] = [DonationId.make(`don_${suffix(given)}`), localDay(at, zone)]
  const kept = Donation.bare({
    id,
    organisation_id: OrganisationId.make(`org_${suffix(0)}`),
    donor_id: donorAt(by),
    source: "MANUAL",
    status: "CONFIRMED",
    amount_cents,
    currency: "AUD",
    donation_date: DateTime.makeUnsafe(at),
    donation_day: CalendarDate.make(day),
    created_at: DateTime.makeUnsafe(at),
    updated_at: DateTime.makeUnsafe(at)
  })
  return {
    told: { id, donor: donorAt(by), at, day, cents: amount_cents, back: 0, counts },
    kept,
    rows: [],
    dispute: null
  }
}

/** The gift after its refunds changed; `back` is what the oracle has as gone. */
const changed = (gift: Gift, back: number, { donation, refund }: Refund.Outcome): Gift => ({
  ...gift,
  told: { ...gift.told, back },
  kept: donation,
  rows: [...gift.rows.filter(({ id }) => id !== refund.id), refund]
})

const refundId = (gift: Gift) => RefundId.make(`rfd_${suffix(gift.rows.length)}`)

const refunded = (gift: Gift, share: number, at: DateTime.Utc): Gift => {
  const { back, cents: all } = gift.told
  const amount_cents = Math.floor((all - back) / share)
  if (amount_cents === 0) return gift
  const refund = Refund.refund(gift.kept, gift.rows, { amount_cents }, { id: refundId(gift), at })
  return changed(gift, back + amount_cents, Result.getOrThrow(refund))
}

const undone = (gift: Gift, at: DateTime.Utc): Gift =>
  gift.rows
    .filter((row) => row.status !== "FAILED" && row.id !== gift.dispute?.lost?.id)
    .reduce(
      (each, row) =>
        changed(each, each.told.back - row.amount_cents, Result.getOrThrow(Refund.failRefund(each.kept, row, at))),
      gift
    )

/** A dispute of the gift is lost; a lost one is won after all, and a won one lost again, for what is left by then. */
const decided = (gift: Gift, share: number, at: DateTime.Utc): Gift => {
  const { back, cents: all } = gift.told
  const { cents: disputed, lost } = gift.dispute ?? { cents: Math.ceil((all - back) / share), lost: null }
  if (lost !== null) {
    const won = changed(gift, back - lost.amount_cents, Result.getOrThrow(Refund.failRefund(gift.kept, lost, at)))
    return { ...won, dispute: { cents: disputed, lost: null } }
  }
  const amount_cents = Math.min(disputed, all - back)
  if (amount_cents === 0) return gift
  const chargeback = { amount_cents, processor_reference: null }
  const outcome = Result.getOrThrow(Refund.loseChargeback(gift.kept, gift.rows, chargeback, { id: refundId(gift), at }))
  return { ...changed(gift, back + amount_cents, outcome), dispute: { cents: disputed, lost: outcome.refund } }
}

const merged = (gift: Gift): Gift => ({
  ...gift,
  told: { ...gift.told, donor: donorAt(0) },
  kept: { ...gift.kept, donor_id: donorAt(0) }
})

const dayAt = (number: number): string => new Date(yearStart + number * dayMillis).toISOString().slice(0, 10)

const after = (done: Step, world: World, zone: string, at: DateTime.Utc): World => {
  const { elections, gifts, isMerged } = world
  const change = (place: number, of: (gift: Gift) => Gift) => ({
    ...world,
    gifts: gifts.map((gift, each) => (each === place ? of(gift) : gift))
  })
  switch (done._tag) {
    case "Give":
      return { ...world, gifts: [...gifts, give(done, gifts.length, isMerged ? 0 : done.donor, zone)] }
    case "Refund":
      return change(done.index, (gift) => refunded(gift, done.share, at))
    case "Decide":
      return change(done.index, (gift) => decided(gift, done.share, at))
    case "Undo":
      return change(done.index, (gift) => undone(gift, at))
    case "Recode":
      return change(done.index, (gift) => ({ ...gift, told: { ...gift.told, counts: !gift.told.counts } }))
    case "Merge":
      return { ...world, isMerged: true, gifts: gifts.map(merged) }
    case "Call":
      return elections.length > 0
        ? world
        : { ...world, elections: [{ writ: dayAt(done.writ), polling: dayAt(done.writ + 33) }] }
    case "Lodge":
    case "Act":
      return world
  }
}

const start = CalendarDate.make("2027-01-01")
const known = <A>(found: A | null | undefined): A => {
  if (found === null || found === undefined) throw new Error("The law has no such thing in 2027.")
  return found
}

const regime = known(regimeOn(australianRegimes, "AU", start))
const period = known(periodOf(regime, start))
const cap_cents = known(regime.caps.find(({ donor_kind }) => donor_kind === "ANY")?.cap_cents)

/** What the product goes by for a donor. */
const factsOf = ({ elections, gifts }: World, donor_id: DonorId, timezone: string, at: DateTime.Utc) => {
  const called = elections.map(({ polling, writ }) => ({
    jurisdiction: "AU",
    name: "General election",
    writ_on: CalendarDate.make(writ),
    polling_on: CalendarDate.make(polling)
  }))
  const own = gifts.filter(({ kept }) => kept.donor_id === donor_id)
  const counted = Assessment.countedGifts(
    own.map(({ kept, told }) =>
      Struct.pick({ ...kept, jurisdiction: told.counts ? "AU" : null }, Struct.keys(Assessment.AssignedGift.fields))
    ),
    { regime, period }
  )
  const facts: Assessment.Facts = {
    regime,
    period,
    gifts: counted,
    caps: [{ cap_cents, gifts: counted }],
    phaseOf: (day) => electionAt(called, "AU", day),
    timezone,
    at
  }
  return facts
}

/** A donor of the world, as the product and as the oracle have them. */
class Donor {
  known = Assessment.unknownBackground
  readonly oracle: DutyOracle
  private readonly id: DonorId
  private readonly zone: string

  constructor(id: DonorId, zone: string) {
    this.id = id
    this.zone = zone
    this.oracle = new DutyOracle({ threshold: regime.threshold_cents, cap: cap_cents }, zone)
  }

  takeOver(other: Donor): void {
    this.known = Assessment.carry(this.known, other.known)
    this.oracle.takeOver(other.oracle)
  }

  /** Holds what is open now against the oracle; then staff do what the step says. */
  look(world: World, done: Step | null, now: number): void {
    const at = DateTime.makeUnsafe(now)
    const facts = factsOf(world, this.id, this.zone, at)
    const own = world.gifts.map(({ told }) => told).filter(({ donor: by }) => by === this.id)
    const left = own.filter(({ day }) => day.startsWith("2027-")).filter(({ back, cents: all }) => back < all)
    const assessed = Assessment.assess(facts, this.known)
    const expected = this.oracle.look(left, world.elections, now)
    const open = assessed?.duties.filter(isOpen) ?? []
    assert.deepStrictEqual(
      open.map((duty) => `${duty.kind} ${duty.donation_id} ${duty.due_at?.epochMilliseconds}`).toSorted(),
      [...expected].map(([key, due]) => `${key} ${due}`).toSorted()
    )
    if (assessed === null) return
    this.known = assessed
    assert.deepStrictEqual(
      assessed.duties.map(({ number }) => number),
      assessed.duties.map((_, index) => index + 1)
    )
    const numbers = new Set(open.filter(({ kind }) => kind !== "ACTION").map(({ number }) => number))
    if (done?._tag === "Lodge" && numbers.size > 0) {
      const lodgement = { at, on: dayOf(at, this.zone), reference: "1" }
      const some = new Set([...numbers].filter((number) => number % 2 === 0))
      const partly = Assessment.assess(facts, Assessment.lodge(assessed, some, facts.gifts, lodgement))
      assert.deepStrictEqual(
        partly?.duties.filter(isOpen),
        open.filter(({ number }) => !some.has(number))
      )
      this.known = Assessment.lodge(assessed, numbers, facts.gifts, lodgement)
      this.oracle.lodge(left)
    }
    const action = open.find(({ kind }) => kind === "ACTION")
    if (done?._tag === "Act" && action !== undefined) {
      this.known = Assessment.act(assessed, action.number, "handed over", at)
      this.oracle.act(String(action.donation_id))
    }
  }
}

/** Donors' year goes as the oracle says: no duty is missed, none is late, and none is asked for beside. */
const isAsTold = (steps: ReadonlyArray<Step>, zone: string): void => {
  const [first, second] = [new Donor(donorAt(0), zone), new Donor(donorAt(1), zone)]
  let world: World = { gifts: [], elections: [], isMerged: false }
  let now = yearStart + 100 * dayMillis
  for (const done of steps) {
    now += 7 * 3_600_000
    if (done._tag === "Merge" && !world.isMerged) first.takeOver(second)
    world = after(done, world, zone, DateTime.makeUnsafe(now))
    const acts = (place: number) => ("donor" in done && done.donor === place ? done : null)
    first.look(world, acts(0), now)
    if (!world.isMerged) second.look(world, acts(1), now)
  }
}

/** Holds so many random years of donors against the oracle. */
export const holdYears = (numRuns: number): void =>
  forEveryWith({ numRuns }, fc.array(step, { maxLength: 16 }), fc.constantFrom(...zones), isAsTold)
