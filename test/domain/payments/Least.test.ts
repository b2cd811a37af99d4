import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import fc from "fast-check"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import { Charge } from "../../../src/domain/payments/Charge.ts"
import { Credit, NewCredit } from "../../../src/domain/payments/Credit.ts"
import { CreditImport } from "../../../src/domain/payments/CreditImport.ts"
import { Rate } from "../../../src/domain/payments/Fees.ts"
import { Invoice } from "../../../src/domain/payments/Invoice.ts"
import { LedgerEntry } from "../../../src/domain/payments/Ledger.ts"
import { Notice } from "../../../src/domain/payments/Notice.ts"
import { DisputeSnapshot, RefundSnapshot } from "../../../src/domain/payments/Snapshot.ts"
import { StatementFormat } from "../../../src/domain/payments/StatementKind.ts"
import { NewTariff } from "../../../src/domain/payments/Tariff.ts"
import { TestDispute, TestRefund } from "../../../src/domain/payments/TestCharge.ts"
import { TestNotice } from "../../../src/domain/payments/TestNotice.ts"
import { EnteredAmount } from "../../../src/domain/sharing/Checkout.ts"
import { Introduction, NewIntroduction } from "../../../src/domain/sharing/IntroductionFields.ts"
import { NewPaymentRefund } from "../../../src/domain/sharing/PaymentRefund.ts"
import { NewRecommendationSet } from "../../../src/domain/sharing/RecommendationSet.ts"
import { RecommendationSet } from "../../../src/domain/sharing/RecommendationSetFields.ts"
import { Transfer } from "../../../src/domain/sharing/Transfer.ts"
import { TransferAttempt } from "../../../src/domain/sharing/TransferAttempt.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"

/** Schemas, a field of each, and the least and the greatest that it may be; null where it has no greatest. */
const numbers: ReadonlyArray<readonly [Schema.Schema<object>, string, number, number | null]> = [
  [Charge, "amount_cents", 1, null],
  [Charge, "looks", 0, null],
  [Credit, "amount_cents", 1, null],
  [Credit, "number", 1, null],
  [NewCredit, "amount_cents", 1, null],
  [NewCredit, "number", 1, Limits.creditLines],
  [Rate, "basis_points", 0, 10_000],
  [NewTariff, "basis_points", 0, 10_000],
  [NewTariff, "fixed_cents", 0, Limits.donationMaximumCents],
  [Invoice, "failures", 0, null],
  [LedgerEntry, "amount_cents", 1, null],
  [Notice, "attempts", 0, null],
  [TestNotice, "sends", 0, null],
  [Transfer, "series", 1, null],
  [Transfer, "retry_count", 0, null],
  [TransferAttempt, "amount_cents", 1, null],
  [TransferAttempt, "series", 1, null],
  [TransferAttempt, "number", 1, null],
  [TransferAttempt, "looks", 0, null],
  [EnteredAmount, "amount_cents", 0, Limits.donationMaximumCents],
  [RecommendationSet, "min_total_cents", 1, null],
  [NewRecommendationSet, "min_total_cents", 1, null],
  [Introduction, "resend_count", 0, Limits.introductionResends],
  [NewIntroduction, "ttl_days", 1, Limits.introductionTtlDays]
]

const lists: ReadonlyArray<readonly [Schema.Schema<object>, string, string, number]> = [
  [CreditImport, "text_columns", "Description", Limits.creditFields],
  [NewPaymentRefund, "allocation_ids", "pal_1", Limits.setAllocations]
]

const taking = (schema: Schema.Schema<object>, field: string): ((value: unknown) => boolean) => {
  const [given = assert.fail("none")] = fc.sample(arbitraryOf(schema), { numRuns: 1, seed: 1 })
  return (value) => Schema.is(schema)({ ...given, [field]: value })
}

it("a number about money is within its bounds, and they are part of it", () => {
  for (const [schema, field, least, most] of numbers) {
    const takes = taking(schema, field)
    assert.deepStrictEqual([takes(least - 1), takes(least), takes(least + 0.5)], [false, true, false], field)
    if (most !== null) assert.deepStrictEqual([takes(most), takes(most + 1)], [true, false], field)
    else assert.isTrue(takes(1_000_000), field)
  }
})

it("a word that a processor, a bank or a file has for something is one of those that are read", () => {
  for (const [schema, field, words] of [
    [RefundSnapshot, "status", ["pending", "succeeded", "failed"]],
    [DisputeSnapshot, "status", ["open", "won", "lost"]],
    [TestRefund, "status", ["pending", "succeeded", "failed"]],
    [TestDispute, "status", ["open", "won", "lost"]],
    [Schema.Struct({ format: StatementFormat }), "format", ["csv", "camt053", "ofx"]]
  ] as ReadonlyArray<readonly [Schema.Schema<object>, string, ReadonlyArray<string>]>) {
    const takes = taking(schema, field)
    assert.deepStrictEqual([...words, "", "other"].filter(takes), [...words])
  }
})

describe("a list that names parts", () => {
  it("names one at least, and as many as there may be", () => {
    for (const [schema, field, name, most] of lists) {
      const takes = taking(schema, field)
      const lengths = [0, 1, most, most + 1].map((length) => Array.from({ length }, () => name))
      assert.deepStrictEqual(lengths.map(takes), [false, true, true, false], field)
    }
  })

  it("is no text without a character, where it is an identifier of an introduction", () => {
    const takes = taking(NewIntroduction, "external_id")
    assert.deepStrictEqual(["", "x"].map(takes), [false, true])
  })
})
