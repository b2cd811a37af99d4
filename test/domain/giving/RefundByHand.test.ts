import { assert, describe, it } from "@effect/vitest"
import { Option, Result } from "effect"
import fc from "fast-check"
import type * as Refund from "../../../src/domain/giving/Refund.ts"
import { failByHand, failSharedByHand } from "../../../src/domain/giving/RefundByHand.ts"
import * as Generators from "../../../src/testing/Generators.ts"
import * as Subjects from "../../../src/testing/subjects/Donations.ts"
import { forEvery } from "../../support/Property.ts"

/** A gift of which something was kept, with one of its refunds. */
const refunded = fc
  .tuple(Subjects.donations.states, Generators.refund, Generators.instant, fc.nat(500), fc.nat(500))
  .map(([given, row, at, kept, otherwise]) => ({
    donation: {
      ...given,
      status: "CONFIRMED" as const,
      amount_cents: kept + otherwise + 2,
      refunded_amount_cents: otherwise + 1
    },
    row: { ...row, amount_cents: 1 },
    at
  }))

const withRow = (changes: Partial<Refund.Refund>) =>
  refunded.map((given) => ({ ...given, row: { ...given.row, ...changes } }))

describe("a refund that staff could not pay", () => {
  it("leaves its gift as much less refunded", () =>
    forEvery(withRow({ status: "PENDING", is_beside_gift: false }), ({ at, donation, row }) => {
      const outcome = Result.getOrThrow(failByHand(donation, row, at))
      assert.strictEqual(outcome.refund.status, "FAILED")
      assert.strictEqual(
        donation.refunded_amount_cents - outcome.donation.refunded_amount_cents,
        outcome.refund.amount_cents
      )
      assert.isNotEmpty(outcome.events)
    }))

  it("leaves its gift as it is where it went beside the gift, and is told of nobody", () =>
    forEvery(withRow({ status: "PENDING", is_beside_gift: true }), ({ at, donation, row }) => {
      const outcome = Result.getOrThrow(failByHand(donation, row, at))
      assert.strictEqual(outcome.refund.status, "FAILED")
      assert.deepStrictEqual(outcome.donation, donation)
      assert.isEmpty(outcome.events)
      assert.deepStrictEqual(Result.getOrThrow(failSharedByHand(row, at)), outcome.refund)
    }))

  it("cannot fail once it is paid, beside its gift or not, and the refusal says so", () =>
    forEvery(withRow({ status: "SUCCEEDED" }), fc.boolean(), ({ at, donation, row }, is_beside_gift) => {
      const failures = [
        Result.getFailure(failByHand(donation, { ...row, is_beside_gift }, at)),
        Result.getFailure(failSharedByHand(row, at))
      ]
      for (const failure of failures) assert.include(Option.getOrThrow(failure).message, "this one is SUCCEEDED")
    }))
})
