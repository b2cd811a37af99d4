import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import fc from "fast-check"
import * as Bank from "../../../src/domain/payments/TestBank.ts"
import type { TestCharge } from "../../../src/domain/payments/TestCharge.ts"
import { testRules } from "../../../src/domain/payments/TestRules.ts"
import { forEveryWith } from "../../support/Property.ts"
import { chargeAtBank, later } from "./AtTestBank.ts"

const amount = 10_000

const step = fc.record({
  does: fc.constantFrom(
    "wait",
    "cancel",
    "approve",
    "decline",
    "settle",
    "dishonour",
    "refund",
    "fail",
    "dispute",
    "win",
    "lose"
  ),
  cents: fc.oneof(fc.constantFrom(null, 0, 1, amount), fc.integer({ min: 0, max: amount + 1 })),
  seconds: fc.constantFrom(0, 1, 30, 60, 200)
})
type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

type Asked = Result.Result<TestCharge, Bank.Refusal>

const perform = (charge: TestCharge, { cents, does }: Step, second: number): Asked => {
  const now = later(second)
  switch (does) {
    case "cancel":
      return Result.succeed(Bank.cancel(charge, now))
    case "approve":
      return Bank.approve(charge, now)
    case "decline":
      return Bank.decline(charge, now)
    case "settle":
      return Bank.settle(charge, now)
    case "dishonour":
      return Bank.dishonour(charge, "no_account", now)
    case "refund":
      return Result.map(
        Bank.refund(charge, { refund_id: null, idempotency_key: null, amount_cents: cents ?? amount }, now),
        ({ charge: refunded }) => refunded
      )
    case "fail":
      return Bank.refundFailed(charge, now)
    case "dispute":
      return Bank.dispute(charge, cents, now)
    case "win":
      return Bank.disputeWon(charge, now)
    case "lose":
      return Bank.disputeLost(charge, now)
    default:
      return Result.succeed(charge)
  }
}

const sum = (all: ReadonlyArray<number>): number => all.reduce((total, each) => total + each, 0)

/** What the account has of a charge, by what became of it. */
const standing = ({ disputes, fee_cents, refunds, status }: TestCharge) => ({
  left:
    (status === "succeeded" ? amount : 0) -
    sum(refunds.filter((each) => each.status === "succeeded").map(({ amount_cents }) => amount_cents)) -
    sum(disputes.filter((each) => each.status !== "won").map(({ amount_cents }) => amount_cents)),
  // A dispute costs 25.00, however it ends.
  fees: (fee_cents ?? 0) + 2_500 * disputes.length
})

const script = fc.tuple(fc.constantFrom(...testRules), fc.array(step, { maxLength: 12 }))
type Script = typeof script extends fc.Arbitrary<infer A> ? A : never

/** What is seen of a step: the charge before it, what came of it, and when it was done. */
interface Seen {
  readonly step: Step | null
  readonly before: TestCharge
  readonly asked: Asked
  readonly second: number
}

const play = ([{ method, token }, steps]: Script): ReadonlyArray<Seen> => {
  let charge = Result.getOrThrow(Bank.confirm(chargeAtBank({ method, amount_cents: amount }), token, later(0)))
  const seen: Array<Seen> = [{ step: null, before: charge, asked: Result.succeed(charge), second: 0 }]
  let second = 0
  for (const step of steps) {
    second += step.seconds
    const before = Bank.advance(charge, later(second))
    const asked = perform(before, step, second)
    seen.push({ step, before, asked, second })
    charge = Result.getOrElse(asked, () => before)
  }
  return seen
}

const pendingCents = ({ refunds }: TestCharge): number =>
  sum(refunds.filter(({ status }) => status === "pending").map(({ amount_cents }) => amount_cents))

/** Why a step is refused; null where it is not. */
const refusalOf = ({ cents, does }: Step, before: TestCharge): string | null => {
  const { disputes, refunds, status } = before
  const isDisputed = disputes.some((each) => each.status === "open")
  const left = standing(before).left - pendingCents(before)
  const asked = cents ?? (does === "refund" ? amount : left)
  const tooMuch = asked < 1 || asked > left ? "amount_too_large" : null
  const rules: Partial<Record<Step["does"], string | null>> = {
    approve: status === "waiting" ? null : "wrong_status",
    decline: status === "waiting" ? null : "wrong_status",
    settle: status === "processing" ? null : "wrong_status",
    dishonour: status === "processing" ? null : "wrong_status",
    fail: refunds.some((each) => each.status !== "failed") ? null : "no_refund",
    lose: isDisputed ? null : "no_dispute",
    win: disputes.some((each) => each.status !== "won") ? null : "no_dispute",
    refund: status !== "succeeded" ? "charge_not_paid" : isDisputed ? "charge_disputed" : tooMuch,
    dispute: status !== "succeeded" ? "charge_not_paid" : tooMuch
  }
  return rules[does] ?? null
}

it("the statement of the simulated bank has a line for all that moved, so that it adds up to what the account has and what it cost", () =>
  forEveryWith({ numRuns: 300 }, script, (given) => {
    for (const { asked } of play(given)) {
      if (Result.isFailure(asked)) continue
      const { disputes, movements, refunds } = asked.success
      const { fees, left } = standing(asked.success)
      assert.strictEqual(sum(movements.map(({ amount_cents }) => amount_cents)), left)
      assert.strictEqual(sum(movements.map(({ fee_cents }) => fee_cents)), fees)
      for (const [letter, all] of Object.entries({ r: refunds, d: disputes, m: movements })) {
        const numbered = all.map((_, index) => `test_1_${letter}${index + 1}`)
        const references = all.map(({ reference }) => reference)
        assert.deepStrictEqual(references, numbered)
      }
      for (const { amount_cents, kind } of movements) if (kind === "charge") assert.isAtLeast(amount_cents, 0)
    }
  }))

describe("the simulated bank", () => {
  it("says no where there is nothing to do, and takes the time of what it did", () =>
    forEveryWith({ numRuns: 300 }, script, (given) => {
      for (const { asked, before, second, step } of play(given)) {
        if (step === null) continue
        assert.strictEqual(Result.isFailure(asked) ? asked.failure.code : null, refusalOf(step, before))
        if (Result.isFailure(asked) || asked.success === before) continue
        assert.deepStrictEqual(asked.success.updated_at, later(second))
      }
    }))

  it("pays the refund that is due, and not another one that failed", () => {
    const paid = Result.getOrThrow(Bank.confirm(chargeAtBank(), "4000 0000 0000 7726", later(0)))
    const refunded = (charge: TestCharge, second: number) =>
      Result.getOrThrow(
        Bank.refund(charge, { refund_id: null, idempotency_key: null, amount_cents: 100 }, later(second))
      ).charge
    const failed = Result.getOrThrow(Bank.refundFailed(refunded(refunded(paid, 0), 10), later(20)))
    const statuses = (second: number) => Bank.advance(failed, later(second)).refunds.map(({ status }) => status)
    assert.deepStrictEqual([30, 65, 75].map(statuses), [
      ["pending", "failed"],
      ["succeeded", "failed"],
      ["succeeded", "failed"]
    ])
  })

  it("knows when something happens next, and does nothing before", () =>
    forEveryWith({ numRuns: 100 }, script, (given) => {
      for (const { before, second } of play(given)) {
        const next = Bank.nextActAt(before)
        if (next === null) {
          assert.strictEqual(Bank.advance(before, later(1_000_000)), before)
          continue
        }
        assert.isAbove(next.epochMilliseconds, later(second).epochMilliseconds)
        assert.strictEqual(Bank.advance(before, DateTime.subtract(next, { seconds: 1 })), before)
        assert.notDeepEqual(Bank.advance(before, next), before)
      }
    }))
})
