import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import type { Donation } from "../../../src/domain/giving/Donation.ts"
import * as Refund from "../../../src/domain/giving/Refund.ts"
import { ChargeId, CreditId, RefundId } from "../../../src/domain/kernel/Ids.ts"
import { decide, typesOf } from "../../../src/domain/kernel/Machine.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { instant } from "../../../src/testing/Generators.ts"
import * as Subjects from "../../../src/testing/subjects/Donations.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const occurrence = fc.record({ id: arbitraryOf(RefundId), at: instant })

const aCharge = ChargeId.make("chg_01h2xcejqtf2nbrexx3vqjhp41")
const aCredit = CreditId.make("crd_01h2xcejqtf2nbrexx3vqjhp41")

const received: fc.Arbitrary<Donation> = Subjects.donations.states.map(
  (given): Donation => ({ ...given, status: "CONFIRMED", refunded_amount_cents: 0 })
)

const action = fc.oneof(
  fc.record({
    do: fc.constant("refund" as const),
    occurrence,
    input: fc.record({ amount_cents: fc.option(fc.integer({ min: 1, max: 4 })) }, { requiredKeys: [] })
  }),
  fc.record({ do: fc.constant("chargeback" as const), occurrence, amount_cents: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constantFrom("settle" as const, "fail" as const), occurrence, row: fc.nat({ max: 5 }) })
)
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never

interface Books {
  readonly donation: Donation
  readonly rows: ReadonlyArray<Refund.Refund>
}

const withRow = (rows: ReadonlyArray<Refund.Refund>, row: Refund.Refund) =>
  rows.some(({ id }) => id === row.id) ? rows.map((each) => (each.id === row.id ? row : each)) : [...rows, row]

const changeRow = (books: Books, action: Extract<Action, { readonly do: "settle" | "fail" }>): Books => {
  const row = books.rows[action.row]
  if (row === undefined) return books
  const { at } = action.occurrence
  if (action.do === "settle") {
    const settled = decide(Refund.machine, row, { _tag: "Succeed", at, processor_reference: null })
    return Result.isFailure(settled) ? books : { ...books, rows: withRow(books.rows, settled.success.state) }
  }
  const failed = Refund.failRefund(books.donation, row, at)
  return Result.isFailure(failed)
    ? books
    : { donation: failed.success.donation, rows: withRow(books.rows, failed.success.refund) }
}

const act = (books: Books, action: Action): Books => {
  if ("row" in action) return changeRow(books, action)
  const outcome =
    action.do === "refund"
      ? Refund.refund(books.donation, books.rows, action.input, action.occurrence)
      : Refund.loseChargeback(
          books.donation,
          books.rows,
          { amount_cents: action.amount_cents, processor_reference: null },
          action.occurrence
        )
  return Result.isFailure(outcome)
    ? books
    : { donation: outcome.success.donation, rows: [...books.rows, outcome.success.refund] }
}

const history = fc.tuple(
  received,
  fc.uniqueArray(action, { selector: ({ occurrence }) => occurrence.id, maxLength: 10 })
)

const booksAfter = ([donation, actions]: readonly [Donation, ReadonlyArray<Action>]): Books =>
  actions.reduce(act, { donation, rows: [] })

describe("Refund", () => {
  it("of a gift of which nothing is left says that it was refunded, whatever amount is asked for or none", () =>
    forEvery(received, occurrence, occurrence, (donation, first, second) => {
      const { refund, donation: refunded } = Result.getOrThrow(Refund.refund(donation, [], {}, first))
      for (const input of [{}, { amount_cents: 1 }, { amount_cents: donation.amount_cents }]) {
        const again = Refund.refund(refunded, [refund], input, second)
        assert.deepInclude(Result.isFailure(again) ? again.failure : {}, { _tag: "IllegalTransition" })
      }
    }))

  it("is shown without the organisation that made it", () => {
    assert.notProperty(Refund.RefundRecord.fields, "organisation_id")
    assert.notProperty(Refund.RefundedDonation.fields, "organisation_id")
  })

  it("a donation's refunded amount equals its rows at every step, and its status follows", () =>
    forEveryWith({ numRuns: 500 }, history, ([start, actions]) => {
      let books: Books = { donation: start, rows: [] }
      for (const action of actions) {
        books = act(books, action)
        const { donation, rows } = books
        assert.strictEqual(donation.refunded_amount_cents, Refund.refundedCents(rows))
        assert.isAtMost(donation.refunded_amount_cents, donation.amount_cents)
        const whole = donation.refunded_amount_cents === donation.amount_cents
        assert.strictEqual(donation.status, whole ? "REFUNDED" : "CONFIRMED")
      }
    }))

  it("the refunded amount leaves out failed rows and those beside the gift, and nothing else", () =>
    forEvery(fc.array(Subjects.refunds.states), (rows) => {
      const kept = rows.filter(
        ({ is_beside_gift, status }) => !is_beside_gift && (status === "PENDING" || status === "SUCCEEDED")
      )
      assert.strictEqual(
        Refund.refundedCents(rows),
        kept.reduce((total, { amount_cents }) => total + amount_cents, 0)
      )
    }))

  it("takes what is left when no amount is given, and refuses one cent more", () =>
    forEvery(history, occurrence, (past, next) => {
      const { donation, rows } = booksAfter(past)
      const left = donation.amount_cents - donation.refunded_amount_cents
      const rest = Refund.refund(donation, rows, {}, next)
      const more = Refund.refund(donation, rows, { amount_cents: left + 1 }, next)
      assert.isTrue(Result.isFailure(more))
      if (donation.status === "CONFIRMED") {
        assert.deepInclude(Result.getOrThrow(rest).donation, { status: "REFUNDED" })
        assert.strictEqual(Result.getOrThrow(rest).refund.amount_cents, left)
        assert.deepInclude(Result.isFailure(more) ? more.failure : {}, { _tag: "InvalidInput", param: "amount_cents" })
      } else {
        assert.strictEqual(Result.isFailure(more) ? more.failure._tag : null, "IllegalTransition")
        assert.isTrue(Result.isFailure(rest))
      }
    }))

  it("refuses what is not confirmed, before it looks at the amount", () =>
    forEvery(
      Subjects.donations.states.filter(({ status }) => status !== "CONFIRMED"),
      occurrence,
      fc.option(fc.integer({ min: 1, max: 9 })),
      (donation, next, amount_cents) => {
        const refused = Refund.refund(donation, [], { amount_cents }, next)
        assert.strictEqual(Result.isFailure(refused) ? refused.failure._tag : null, "IllegalTransition")
      }
    ))

  it("waits where the gift's money is in the books, and is recorded at once elsewhere", () =>
    forEvery(received, fc.constantFrom(null, aCharge), fc.boolean(), occurrence, (gift, charge_id, isBooked, next) => {
      const donation = { ...gift, charge_id, credit_id: isBooked ? aCredit : null }
      const { events, refund } = Result.getOrThrow(Refund.refund(donation, [], { reason: "asked" }, next))
      assert.deepStrictEqual(typesOf(events), ["donation.refunded"])
      const waits = charge_id !== null || isBooked
      assert.deepInclude(refund, {
        id: next.id,
        donation_id: donation.id,
        charge_id,
        is_beside_gift: false,
        organisation_id: donation.organisation_id,
        reason: "asked",
        status: waits ? "PENDING" : "SUCCEEDED",
        refunded_at: waits ? null : next.at
      })
    }))

  it("a failure gives back exactly the row's amount, once", () =>
    forEvery(history, instant, (past, at) => {
      const { donation, rows } = booksAfter(past)
      for (const row of rows) {
        const failed = Refund.failRefund(donation, row, at)
        assert.strictEqual(Result.isSuccess(failed), row.status !== "FAILED")
        if (Result.isFailure(failed)) continue
        const { donation: restored, events, refund } = failed.success
        assert.deepStrictEqual(typesOf(events), ["donation.refund_reversed"])
        assert.strictEqual(restored.refunded_amount_cents, donation.refunded_amount_cents - row.amount_cents)
        assert.isTrue(Result.isFailure(Refund.failRefund(restored, refund, at)))
      }
    }))

  it("a chargeback takes up to what is left at once, and winning it gives that back", () =>
    forEvery(history, occurrence, fc.integer({ min: 1, max: 5 }), (past, next, amount_cents) => {
      const { donation, rows } = booksAfter(past)
      fc.pre(donation.status === "CONFIRMED")
      const left = donation.amount_cents - donation.refunded_amount_cents
      const lost = Refund.loseChargeback(donation, rows, { amount_cents, processor_reference: "dispute" }, next)
      assert.strictEqual(Result.isSuccess(lost), amount_cents <= left)
      if (Result.isFailure(lost)) return
      const { donation: after, events, refund } = lost.success
      assert.deepInclude(refund, {
        amount_cents,
        status: "SUCCEEDED",
        reason: "chargeback",
        refunded_at: next.at,
        processor_reference: "dispute"
      })
      assert.strictEqual(after.status, amount_cents === left ? "REFUNDED" : "CONFIRMED")
      assert.strictEqual(after.refunded_amount_cents, donation.refunded_amount_cents + amount_cents)
      assert.deepStrictEqual(typesOf(events), ["donation.refunded"])
      const won = Result.getOrThrow(Refund.failRefund(after, refund, next.at))
      assert.deepStrictEqual({ ...won.donation, updated_at: null }, { ...donation, updated_at: null })
      assert.strictEqual(won.refund.status, "FAILED")
    }))

  it("a refund beside the gift leaves it as it is, and no part of what was refunded", () =>
    forEvery(history, occurrence, fc.integer({ min: 1, max: 9 }), (past, next, amount_cents) => {
      const { donation, rows } = booksAfter(past)
      const beside = Refund.refundBeside(donation, { amount_cents, reason: "late_success" }, next)
      assert.deepInclude(beside, { is_beside_gift: true, status: "PENDING", amount_cents, refunded_at: null })
      assert.strictEqual(Refund.refundedCents([...rows, beside]), Refund.refundedCents(rows))
    }))
})
