import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { decide } from "../../../src/domain/kernel/Machine.ts"
import * as Conservation from "../../../src/domain/sharing/Conservation.ts"
import * as Payment from "../../../src/domain/sharing/Payment.ts"
import * as Transfer from "../../../src/domain/sharing/Transfer.ts"
import { instant } from "../../../src/testing/Generators.ts"
import * as Subjects from "../../../src/testing/subjects/Payments.ts"

const sumOf = (amounts: ReadonlyArray<number>): number => amounts.reduce((total, amount) => total + amount, 0)

const paid: fc.Arbitrary<Payment.Payment> = fc
  .tuple(Subjects.submittedPayment, instant)
  .map(([payment, at]) => Result.getOrThrow(decide(Payment.machine, payment, { _tag: "Succeed", at })).state)

const movement = fc.record({
  kind: fc.constantFrom("FeeGivenBack" as const, "Refunded" as const, "RefundFailed" as const, "Transferred" as const),
  amount_cents: fc.integer({ min: 1, max: 300 }),
  at: instant
})

const step = fc.tuple(fc.nat({ max: 4 }), fc.oneof(Subjects.transfers.commands, movement))
type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

const history = fc.tuple(paid, fc.array(step, { maxLength: 20 }))

interface Books {
  readonly payment: Payment.Payment
  readonly ledger: Conservation.Ledger
  /** The amount that manual transfers moved, beside the transfers of the payment, minor units. */
  readonly manual_cents: number
}

type Posted = ReturnType<typeof Conservation.post>

const postAll = (ledger: Conservation.Ledger, movements: Conservation.Ledger): Posted =>
  movements.reduce<Posted>(
    (posted, each) => Result.flatMap(posted, (ledger) => Conservation.post(ledger, each)),
    Result.succeed(ledger)
  )

const command = (books: Books, transfer: Transfer.Transfer, command: Transfer.Command): Books => {
  const decision = decide(Transfer.machine, transfer, command)
  if (Result.isFailure(decision)) return books
  const { state } = decision.success
  const fresh = Conservation.movementsOf(state).slice(Conservation.movementsOf(transfer).length)
  return Result.match(postAll(books.ledger, fresh), {
    onFailure: () => books,
    onSuccess: (ledger) => ({
      ...books,
      ledger,
      payment: Payment.withTransfer(books.payment, state, command.at)
    })
  })
}

const take = (books: Books, [index, action]: Step): Books => {
  const transfer = books.payment.allocations[index % books.payment.allocations.length]
  if (transfer === undefined) return books
  if ("_tag" in action) return command(books, transfer, action)
  const { amount_cents, at, kind } = action
  // By hand and apart from its transfer, money goes only to a recipient whose transfer was given up.
  if (kind === "Transferred" && transfer.transfer_status !== "failed") return books
  return Result.match(Conservation.post(books.ledger, { _tag: kind, allocation_id: transfer.id, amount_cents, at }), {
    onFailure: () => books,
    onSuccess: (ledger) => ({
      ...books,
      ledger,
      manual_cents: books.manual_cents + (kind === "Transferred" ? amount_cents : 0)
    })
  })
}

const opened = (payment: Payment.Payment): Books => ({
  payment,
  ledger: Conservation.opening(payment),
  manual_cents: 0
})

describe("Conservation", () => {
  it("holds to the cent at every step of a history with failures, retries, reversals and refunds", () => {
    fc.assert(
      fc.property(history, ([payment, steps]) => {
        let books = opened(payment)
        for (const next of [null, ...steps]) {
          books = next === null ? books : take(books, next)
          assert.isTrue(Conservation.conserved(books.ledger))
          const balance = Conservation.balanceOf(books.ledger)
          const reached = books.payment.allocations.filter(({ transfer_status }) => transfer_status === "succeeded")
          assert.strictEqual(balance.paid_cents, payment.total_amount_cents)
          assert.strictEqual(
            balance.held_by_recipients_cents,
            sumOf(reached.map(({ net_amount_cents }) => net_amount_cents)) + books.manual_cents
          )
        }
      }),
      { numRuns: 500 }
    )
  })

  it("holds for each recipient alone: what came for one never pays for another", () => {
    fc.assert(
      fc.property(history, ([payment, steps]) => {
        const { ledger } = steps.reduce(take, opened(payment))
        for (const { id } of payment.allocations) {
          const own = ledger.filter((each) => "allocation_id" in each && each.allocation_id === id)
          const { fees_kept_cents, paid_cents, ...places } = Conservation.balanceOf(own)
          assert.strictEqual(paid_cents, 0)
          for (const cents of Object.values(places)) assert.isAtLeast(cents, 0)
          const allocated = sumOf(own.map((each) => (each._tag === "Allocated" ? each.amount_cents : 0)))
          assert.strictEqual(sumOf(Object.values(places)), allocated - fees_kept_cents)
        }
      }),
      { numRuns: 300 }
    )
  })

  it("nothing is posted that overdraws, and what is refused says what there was", () => {
    fc.assert(
      fc.property(history, movement, fc.nat(), ([payment, steps], { amount_cents, at, kind }, index) => {
        const { ledger } = steps.reduce(take, opened(payment))
        const { id } = payment.allocations[index % payment.allocations.length] ?? assert.fail()
        const posted = Conservation.post(ledger, { _tag: kind, allocation_id: id, amount_cents, at })
        if (Result.isFailure(posted)) {
          const { failure } = posted
          if (failure._tag === "InvalidInput") return assert.fail(failure.message)
          assert.isAbove(amount_cents, failure.available_cents)
          const rest = { _tag: kind, allocation_id: id, amount_cents: failure.available_cents, at } as const
          assert.isTrue(Conservation.conserved(Result.getOrThrow(Conservation.post(ledger, rest))))
        } else {
          assert.isTrue(Conservation.conserved(posted.success))
        }
      }),
      { numRuns: 300 }
    )
  })

  it("notices one cent that is missing or too many, and money that was never there", () => {
    fc.assert(
      fc.property(paid, fc.nat(), fc.constantFrom(-1, 1), instant, (payment, nth, cent, at) => {
        const ledger = Conservation.opening(payment)
        const index = nth % ledger.length
        const wrong = ledger.map((each, i) =>
          i === index ? { ...each, amount_cents: each.amount_cents + cent } : each
        )
        assert.isFalse(Conservation.conserved(wrong))
        const { id } = payment.allocations[0] ?? assert.fail()
        const amount_cents = payment.total_amount_cents + 1
        const transferred = { _tag: "Transferred", at, allocation_id: id, amount_cents } as const
        assert.isFalse(Conservation.conserved([...ledger, transferred]))
      })
    )
  })

  it("a transfer has moved its net amount when it succeeded, and back when it was reversed", () => {
    fc.assert(
      fc.property(Subjects.transfers.states, (transfer) => {
        const { id: allocation_id, net_amount_cents: amount_cents, reversed_at, succeeded_at } = transfer
        const moves = { pending: 0, failed: 0, succeeded: 1, reversed: 2 }[transfer.transfer_status]
        const all = [
          { _tag: "Transferred", at: succeeded_at, allocation_id, amount_cents },
          { _tag: "Recovered", at: reversed_at, allocation_id, amount_cents }
        ]
        assert.deepStrictEqual<unknown>(Conservation.movementsOf(transfer), all.slice(0, moves))
      })
    )
  })

  it("nothing is held before the payment's money arrived", () => {
    fc.assert(
      fc.property(Subjects.payments.states, (payment) => {
        const opened = Conservation.opening(payment)
        assert.strictEqual(opened.length > 0, payment.payment_status === "SUCCEEDED")
      })
    )
  })
})
