import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import fc from "fast-check"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import { DisputeId, DonationId, RefundId } from "../../../src/domain/kernel/Ids.ts"
import { typesOf } from "../../../src/domain/kernel/Machine.ts"
import { balancesOf, type Posting } from "../../../src/domain/payments/Ledger.ts"
import * as Renewal from "../../../src/domain/payments/Renewal.ts"
import type { Step } from "../../../src/domain/payments/Settlement.ts"
import type { DisputeSnapshot, RefundSnapshot } from "../../../src/domain/payments/Snapshot.ts"
import {
  type Occasion,
  type SettlementState,
  type StepResult,
  take
} from "../../../src/domain/payments/StepApplication.ts"
import * as Generators from "../../../src/testing/Generators.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"
import { amount, submittedAt } from "./SubmittedGift.ts"

const at = DateTime.makeUnsafe("2026-07-01T00:00:00Z")
const today = CalendarDate.make("2026-07-01")
/** Gifts of three weeks ago, so that a transfer may have lapsed. */
const submitted = fc.constantFrom(
  ...fc.sample(submittedAt(DateTime.subtract(at, { days: 20 })), { numRuns: 12, seed: 1 })
)

const digits = (n: number) => `${String(n).padStart(3, "0")}1jqz6x8h4e5vb9m2k7ncw3t`
const occasion = (n: number, given: Partial<Occasion> = {}): Occasion => ({
  at,
  refund_id: RefundId.make(`rfd_${digits(n)}`),
  dispute_id: DisputeId.make(`dsp_${digits(n)}`),
  today,
  arrived: null,
  refunds: true,
  ...given
})

const taking = (state: SettlementState, step: Step, given: Occasion = occasion(0)): StepResult =>
  Result.getOrThrow(take(state, step, given))

const paid = submitted.map(
  (state) => taking(state, { _tag: "Succeed" }, occasion(0, { arrived: { at, on: today } })).state
)

type Move = readonly [from: Posting["from_account"], to: Posting["to_account"], cents: number]

const movesOf = ({ moved }: StepResult): ReadonlyArray<Move> =>
  moved.flatMap(({ postings }) =>
    postings.map(({ amount_cents, from_account, to_account }) => [from_account, to_account, amount_cents] as const)
  )

const raisedBy = ({ raised }: StepResult): ReadonlyArray<string> =>
  raised.map(({ amount_cents, held_cents, kind }) => `${kind} ${amount_cents}, ${held_cents} held`)

/** A refund or a dispute as it is known: what of it was taken off the gift, and where its money is. */
interface Part {
  readonly n: number
  readonly kind: "refund" | "dispute"
  readonly cents: number
  off: number
  place: "held" | "donor" | "disputed" | "organisation"
}

const happening = fc.record({
  does: fc.constantFrom("refund", "refund", "pay", "fail", "open", "lose", "win"),
  which: fc.nat(20),
  cents: fc.oneof(fc.integer({ min: 1, max: amount + 1 }), fc.constantFrom(1, amount - 1, amount, amount / 2)),
  isPaid: fc.boolean()
})
type Happening = typeof happening extends fc.Arbitrary<infer A> ? A : never

const refundOf = ({ cents, n }: Pick<Part, "cents" | "n">, status: RefundSnapshot["status"]): RefundSnapshot => ({
  reference: `re_${n}`,
  refund_id: null,
  amount_cents: cents,
  status
})
const disputeOf = ({ cents, n }: Pick<Part, "cents" | "n">, status: DisputeSnapshot["status"]): DisputeSnapshot => ({
  reference: `dp_${n}`,
  amount_cents: cents,
  status
})

/** What a step does by the contract: what moves, what is raised, and how it changes what is off the gift. */
interface Expected {
  readonly step: Step
  readonly moves: ReadonlyArray<Move>
  readonly raised: ReadonlyArray<string>
  readonly part: Part
  readonly off: number
  readonly place: Part["place"]
}

const pick = (parts: ReadonlyArray<Part>, which: number, has: (part: Part) => boolean): Part | undefined => {
  const able = parts.filter(has)
  return able[which % Math.max(1, able.length)]
}

/** The step of a happening and what comes of it, `left` being what the gift can still give back; undefined where it has none. */
const expected = (
  parts: ReadonlyArray<Part>,
  left: number,
  n: number,
  { cents, does, isPaid, which }: Happening
): Expected | undefined => {
  const isRefund = ({ kind }: Part) => kind === "refund"
  const fresh = (kind: Part["kind"]): Part => ({ n, kind, cents, off: 0, place: "organisation" })
  switch (does) {
    case "refund": {
      const part = fresh("refund")
      const back: ReadonlyArray<Move> = isPaid ? [["held", "donor", cents]] : []
      return {
        step: { _tag: "RecordRefund", refund: refundOf(part, isPaid ? "succeeded" : "pending") },
        moves: [["organisation", "held", cents], ...back],
        raised: cents > left ? [`unrecovered ${cents}, 0 held`] : [],
        part,
        off: cents > left ? 0 : cents,
        place: isPaid ? "donor" : "held"
      }
    }
    case "pay": {
      const part = pick(parts, which, (each) => isRefund(each) && each.place === "held")
      if (part === undefined) return undefined
      const step: Step = {
        _tag: "SucceedRefund",
        refund_id: RefundId.make(`rfd_${digits(part.n)}`),
        reference: `re_${part.n}`
      }
      return { step, moves: [["held", "donor", part.cents]], raised: [], part, off: part.off, place: "donor" }
    }
    case "fail": {
      const part = pick(parts, which, (each) => isRefund(each) && each.place !== "organisation")
      if (part === undefined) return undefined
      const step: Step = { _tag: "FailRefund", refund_id: RefundId.make(`rfd_${digits(part.n)}`) }
      const raised = [`refund_failed ${part.cents}, 0 held`]
      return { step, moves: [[part.place, "organisation", part.cents]], raised, part, off: 0, place: "organisation" }
    }
    case "open": {
      const part = fresh("dispute")
      const step: Step = { _tag: "OpenDispute", dispute: disputeOf(part, "open") }
      return { step, moves: [["organisation", "disputed", cents]], raised: [], part, off: 0, place: "disputed" }
    }
    case "lose": {
      const part = pick(parts, which, ({ place }) => place === "disputed") ?? fresh("dispute")
      const off = Math.min(part.cents, left)
      return {
        step: { _tag: "LoseDispute", dispute: disputeOf(part, "lost") },
        moves: [[part.place, "donor", part.cents]],
        raised: part.cents > off ? [`unrecovered ${part.cents - off}, 0 held`] : [],
        part,
        off,
        place: "donor"
      }
    }
    default: {
      const part = pick(parts, which, (each) => each.kind === "dispute" && each.place !== "organisation")
      if (part === undefined) return undefined
      const step: Step = { _tag: "WinDispute", dispute: disputeOf(part, "won") }
      return {
        step,
        moves: [[part.place, "organisation", part.cents]],
        raised: [],
        part,
        off: 0,
        place: "organisation"
      }
    }
  }
}

const causes: Readonly<Record<string, string>> = { refund: "rfd_", dispute: "dsp_" }

describe("what is taken back of a gift", () => {
  it("moves once, comes off the gift as far as that has it, and is else told to a person", () =>
    forEveryWith({ numRuns: 200 }, paid, fc.array(happening, { maxLength: 10 }), (start, happenings) => {
      let state = start
      const parts: Array<Part> = []
      for (const [n, each] of happenings.entries()) {
        const off = parts.reduce((sum, part) => sum + part.off, 0)
        const expects = expected(parts, amount - off, n, each)
        if (expects === undefined) continue
        const { part } = expects
        const taken = taking(state, expects.step, occasion(n))
        state = taken.state
        assert.deepStrictEqual(movesOf(taken), expects.moves)
        assert.deepStrictEqual(raisedBy(taken), expects.raised)
        for (const { cause, cause_id } of taken.moved) {
          assert.deepStrictEqual([cause, cause_id], [part.kind, `${causes[part.kind]}${digits(part.n)}`])
        }
        const change = expects.off - part.off
        const told = change > 0 ? ["donation.refunded"] : change < 0 ? ["donation.refund_reversed"] : []
        assert.deepStrictEqual<ReadonlyArray<string>>(typesOf(taken.events), told)
        part.off = expects.off
        part.place = expects.place
        if (!parts.includes(part)) parts.push(part)
        const all = off + change
        assert.strictEqual(state.gift?.refunded_amount_cents, all)
        assert.strictEqual(state.gift?.status, all === amount ? "REFUNDED" : "CONFIRMED")
      }
      const counts = state.refunds.filter(({ is_beside_gift, status }) => !is_beside_gift && status !== "FAILED")
      assert.deepStrictEqual(
        counts.map(({ amount_cents }) => amount_cents).toSorted((a, b) => a - b),
        parts.flatMap(({ off }) => (off > 0 ? [off] : [])).toSorted((a, b) => a - b)
      )
      const ids = [...state.refunds, ...state.disputes].map(({ id }) => id)
      assert.strictEqual(new Set(ids).size, ids.length)
    }))

  it("is known by the processor's own identifier, which a later word does not change", () =>
    forEveryWith({ numRuns: 20 }, paid, fc.boolean(), (start, isPaid) => {
      const refund = refundOf({ cents: 100, n: 1 }, isPaid ? "succeeded" : "pending")
      const recorded = taking(start, { _tag: "RecordRefund", refund }, occasion(1)).state
      assert.strictEqual(recorded.refunds[0]?.processor_reference, "re_1")
      const refund_id = RefundId.make(`rfd_${digits(1)}`)
      const failed = taking(recorded, { _tag: "FailRefund", refund_id, reference: "re_2" })
      assert.strictEqual(failed.state.refunds[0]?.processor_reference, "re_1")
      const unsent = recorded.refunds.map((each) => ({ ...each, processor_reference: null }))
      for (const reference of ["re_2", undefined]) {
        const step: Step =
          reference === undefined ? { _tag: "FailRefund", refund_id } : { _tag: "FailRefund", refund_id, reference }
        const [row] = taking({ ...recorded, refunds: unsent }, step).state.refunds
        assert.strictEqual(row?.processor_reference, reference ?? null)
      }
    }))

  it("of a set's payment, is told once where it was refunded there, and where less than all was charged back", () =>
    forEveryWith({ numRuns: 50 }, paid, fc.integer({ min: 1, max: amount }), fc.boolean(), (start, cents, isOpen) => {
      const shared: SettlementState = { ...start, gift: null, charge: { ...start.charge, purpose: "payment" } }
      const there: Step = { _tag: "RecordRefund", refund: refundOf({ cents, n: 1 }, "pending") }
      const once = taking(shared, there)
      assert.deepStrictEqual(raisedBy(once), [`mismatch ${cents}, 0 held`])
      assert.deepStrictEqual(once.state, { ...shared, isMismatched: true })
      assert.deepStrictEqual(taking(once.state, there), { ...once, raised: [] })
      const opened = isOpen
        ? taking(shared, { _tag: "OpenDispute", dispute: disputeOf({ cents, n: 1 }, "open") }, occasion(1)).state
        : shared
      const lost = taking(opened, { _tag: "LoseDispute", dispute: disputeOf({ cents, n: 1 }, "lost") }, occasion(1))
      assert.deepStrictEqual(raisedBy(lost), cents === amount ? [] : [`unrecovered ${cents}, 0 held`])
      assert.deepStrictEqual(movesOf(lost), [[isOpen ? "disputed" : "organisation", "donor", cents]])
      assert.deepStrictEqual(lost.state.refunds, [])
      assert.deepInclude(lost.state.disputes[0], { status: "LOST", refund_id: null, ended_at: at, fee_cents: null })
      const won = taking(lost.state, { _tag: "WinDispute", dispute: disputeOf({ cents, n: 1 }, "won") })
      assert.deepStrictEqual(movesOf(won), [["donor", "organisation", cents]])
      // Of an invoice whose gift is not there nobody else gives anything back.
      const invoice: SettlementState = { ...shared, charge: { ...shared.charge, purpose: "invoice" } }
      const whole: Step = { _tag: "LoseDispute", dispute: disputeOf({ cents: amount, n: 1 }, "lost") }
      assert.deepStrictEqual(raisedBy(taking(invoice, whole)), [`unrecovered ${amount}, 0 held`])
    }))

  it("is refused where nobody knows it", () => {
    const [state = assert.fail("none")] = fc.sample(paid, 1)
    const refund_id = RefundId.make(`rfd_${digits(9)}`)
    assert.throws(() => taking(state, { _tag: "SucceedRefund", refund_id, reference: "re" }), RangeError)
    const dispute = disputeOf({ cents: 1, n: 9 }, "won")
    assert.throws(() => taking(state, { _tag: "WinDispute", dispute }), RangeError)
  })
})

describe("money that comes, or does not", () => {
  it("costs what the processor took, of which a person is told where that is more than the gift", () =>
    forEvery(paid, fc.constantFrom(0, 1, amount - 1, amount, amount + 1, amount + 50), (start, fee) => {
      const taken = taking(start, { _tag: "LearnFee", processor_fee_cents: fee })
      assert.deepStrictEqual(raisedBy(taken), fee > amount ? [`fee_exceeds_gift ${fee - amount}, 0 held`] : [])
      // One per cent and 30 cents, where the processor leaves as much.
      const platform = Math.max(0, Math.min(130, amount - fee))
      const moves: ReadonlyArray<Move> = [
        ["organisation", "processor_fees", fee],
        ["organisation", "platform_fees", platform]
      ]
      assert.deepStrictEqual(
        movesOf(taken),
        moves.filter(([, , cents]) => cents > 0)
      )
    }))

  it("costs more or less once its fee became another, which the organisation bears", () =>
    forEvery(paid, fc.nat(amount + 50), fc.nat(amount + 50), (start, before, after) => {
      const known = taking(start, { _tag: "LearnFee", processor_fee_cents: before })
      const again = Result.isFailure(take(known.state, { _tag: "LearnFee", processor_fee_cents: before }, occasion(0)))
      assert.isTrue(again)
      if (before === after) return
      const taken = taking(known.state, { _tag: "LearnFee", processor_fee_cents: after })
      const straight = taking(start, { _tag: "LearnFee", processor_fee_cents: after })
      const sums = (all: ReadonlyArray<typeof taken>) =>
        balancesOf(all.flatMap(({ moved }) => moved.flatMap(({ postings }) => postings)))
      assert.deepStrictEqual(sums([known, taken]), sums([straight]))
      const excess = after - Math.max(amount, before)
      assert.deepStrictEqual(raisedBy(taken), excess > 0 ? [`fee_exceeds_gift ${excess}, 0 held`] : [])
    }))

  it("costs its fee where it came after the end, too: no more of it than the first one and what that became", () =>
    forEvery(
      submitted,
      fc.integer({ min: 1, max: amount }),
      fc.integer({ min: 1, max: amount }),
      (state, before, after) => {
        const failed = taking(state, { _tag: "Fail", failure_code: "declined" }).state
        const late = taking(failed, { _tag: "TakeLate" }).state
        const first = taking(late, { _tag: "LearnFee", processor_fee_cents: before })
        assert.deepStrictEqual(movesOf(first), [["organisation", "processor_fees", before]])
        if (before === after) return
        const changed = taking(first.state, { _tag: "LearnFee", processor_fee_cents: after })
        assert.deepStrictEqual(movesOf(changed), [
          after > before
            ? ["organisation", "processor_fees", after - before]
            : ["processor_fees", "organisation", before - after]
        ])
      }
    ))

  it("is held for a person where a part of it came before its time was over, and fails nothing where all of it did", () => {
    const transfers = submitted.map(
      ({ charge, gift, ...rest }): SettlementState => ({
        ...rest,
        charge: { ...charge, method: "bank_transfer" },
        gift: gift && { ...gift, payment_method: "bank_transfer" }
      })
    )
    const lapse: Step = { _tag: "Cancel", failure_code: "bank_transfer_lapsed" }
    forEveryWith(
      { numRuns: 50 },
      transfers,
      fc.constantFrom(null, undefined, 0, 1, amount - 1, amount, amount + 1),
      fc.boolean(),
      (state, received, isUncovered) => {
        const arrived =
          received === null ? null : { at, on: today, ...(received === undefined ? {} : { received_cents: received }) }
        const taken = taking(state, lapse, occasion(1, { arrived, isUncovered }))
        const came = received ?? 0
        if (came >= amount) {
          assert.deepStrictEqual(taken, { state, events: [], moved: [], raised: [] })
          return
        }
        assert.strictEqual(taken.state.charge.status, "CANCELLED")
        assert.deepInclude(taken.state.gift, { status: "FAILED", failure_code: "bank_transfer_lapsed" })
        // Where no statement tells of its last day, nobody knows whether the rest came.
        assert.deepStrictEqual(raisedBy(taken), [
          ...(came > 0 ? [`underpaid ${came}, ${came} held`] : []),
          ...(isUncovered ? [`statement_missing ${amount - came}, 0 held`] : [])
        ])
        assert.deepStrictEqual(movesOf(taken), came > 0 ? [["unmatched", "held", came]] : [])
        for (const { cause, cause_id } of taken.moved)
          assert.deepStrictEqual([cause, cause_id], ["credit", state.charge.id])
      }
    )
  })

  it("is dated by its arrival where it is a transfer's, and by the day on which it succeeded else", () =>
    forEveryWith({ numRuns: 40 }, submitted, fc.boolean(), (state, hasArrived) => {
      const on = CalendarDate.make("2026-06-28")
      const came = { at: DateTime.makeUnsafe("2026-06-27T14:00:00Z"), on }
      const isTransfer = state.charge.method === "bank_transfer"
      const arrived = isTransfer || hasArrived ? came : null
      const { gift } = taking(state, { _tag: "Succeed" }, occasion(1, { arrived })).state
      assert.deepInclude(gift, { status: "CONFIRMED", received_day: isTransfer ? on : today })
    }))

  it("goes back by itself where it comes late and the processor can do that, and is held else", () =>
    forEveryWith(
      { numRuns: 60 },
      submitted,
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      (state, refunds, hasGift, isPaid) => {
        const failed = taking(state, { _tag: "Fail", failure_code: "card_declined" }).state
        const given: SettlementState = { ...failed, gift: hasGift ? failed.gift : null }
        const late = taking(given, { _tag: "TakeLate" }, occasion(1, { refunds }))
        const goesBack = refunds && hasGift
        const source = state.charge.method === "bank_transfer" ? "unmatched" : "donor"
        assert.deepStrictEqual(raisedBy(late), [`late_success ${amount}, ${goesBack ? 0 : amount} held`])
        assert.deepStrictEqual(movesOf(late), [[source, "held", amount]])
        assert.isTrue(late.state.isLate)
        assert.deepStrictEqual(late.events, [])
        assert.lengthOf(late.state.refunds, goesBack ? 1 : 0)
        if (!goesBack) return
        assert.deepInclude(late.state.refunds[0], {
          is_beside_gift: true,
          amount_cents: amount,
          reason: "late_success"
        })
        const { refund_id } = occasion(1)
        const sent = isPaid
          ? taking(late.state, { _tag: "SucceedRefund", refund_id, reference: "re" }).state
          : late.state
        const back = taking(sent, { _tag: "FailRefund", refund_id })
        assert.deepStrictEqual(raisedBy(back), [`refund_failed ${amount}, ${amount} held`])
        assert.deepStrictEqual(movesOf(back), isPaid ? [["donor", "held", amount]] : [])
        assert.deepStrictEqual(back.state.gift, late.state.gift)
      }
    ))

  it("makes the gift of a renewal when it comes, and when its first attempt fails", () => {
    const renewal = fc
      .record({
        state: submitted,
        subscription: fc.constantFrom(...fc.sample(Generators.subscription, { numRuns: 4, seed: 1 })),
        isFirstFailure: fc.boolean()
      })
      .map(({ isFirstFailure, state, subscription }): SettlementState => {
        const draft = Renewal.renewalGiftOf(subscription, state.charge, {
          id: DonationId.make(`don_${digits(1)}`),
          timezone: "Australia/Sydney"
        })
        const charge = { ...state.charge, purpose: "invoice" as const }
        return { ...state, charge, gift: null, renewal: { draft, isFirstFailure } }
      })
    forEveryWith({ numRuns: 30 }, renewal, (state) => {
      const came = taking(state, { _tag: "Succeed" })
      assert.deepStrictEqual(typesOf(came.events), ["donation.created", "donation.succeeded"])
      assert.deepInclude(came.state.gift, { status: "CONFIRMED", received_day: today })
      assert.isNull(came.state.renewal)
      const failed = taking(state, { _tag: "Fail", failure_code: "card_declined" })
      const isTold = state.renewal?.isFirstFailure === true
      assert.deepStrictEqual(typesOf(failed.events), isTold ? ["donation.created", "donation.failed"] : [])
      assert.strictEqual(failed.state.gift?.status, isTold ? "FAILED" : undefined)
      assert.strictEqual(failed.state.charge.status, "FAILED")
      // The gift of an earlier failure stays as it is.
      const { renewal: _, ...later } = state
      for (const none of [later, { ...state, renewal: null }])
        assert.isNull(taking(none, { _tag: "Succeed" }).state.gift)
    })
  })

  it("that is not what we have is told once, whole, and changes nothing else", () =>
    forEveryWith({ numRuns: 20 }, paid, (state) => {
      const told = taking(state, { _tag: "Mismatch", reason: "other" })
      assert.deepStrictEqual(raisedBy(told), [`mismatch ${amount}, 0 held`])
      assert.deepStrictEqual(taking(told.state, { _tag: "Mismatch", reason: "other" }).raised, [])
      assert.deepStrictEqual(told.state, { ...state, isMismatched: true })
    }))
})
