import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { decide, typesOf } from "../../../src/domain/kernel/Machine.ts"
import * as Payment from "../../../src/domain/sharing/Payment.ts"
import * as Transfer from "../../../src/domain/sharing/Transfer.ts"
import * as Subjects from "../../../src/testing/subjects/Payments.ts"
import { forEvery } from "../../support/Property.ts"

const step = (payment: Payment.Payment, index: number, command: Transfer.Command): Payment.Payment => {
  const transfer = payment.allocations[index % payment.allocations.length]
  if (transfer === undefined) return payment
  return Result.match(decide(Transfer.machine, transfer, command), {
    onFailure: () => payment,
    onSuccess: ({ state }) => Payment.withTransfer(payment, state, command.at)
  })
}

const script = fc.array(fc.tuple(fc.nat({ max: 4 }), Subjects.transfers.commands), { maxLength: 15 })

describe("Transfer", () => {
  it("a payment's distribution equals the fold of its transfers at every step of a history", () =>
    forEvery(Subjects.submittedPayment, script, (submitted, steps) => {
      let payment = submitted
      for (const [index, command] of steps) {
        payment = step(payment, index, command)
        const moved = payment.allocations.filter(({ gross_amount_cents }) => gross_amount_cents > 0)
        const expected = Transfer.distributionOf(moved.map(({ transfer_status }) => transfer_status))
        assert.strictEqual(Payment.recordOf(payment).distribution_status, expected)
        assert.strictEqual(Payment.eventDataOf(payment).distribution_status, expected)
      }
    }))

  it("an allocation of 0 cents never moves, and net and gross amounts never change", () =>
    forEvery(Subjects.submittedPayment, script, (submitted, steps) => {
      const end = steps.reduce((payment, [index, command]) => step(payment, index, command), submitted)
      for (const [index, transfer] of end.allocations.entries()) {
        assert.strictEqual(transfer.net_amount_cents, submitted.allocations[index]?.net_amount_cents)
        assert.strictEqual(transfer.gross_amount_cents, submitted.allocations[index]?.gross_amount_cents)
        if (transfer.net_amount_cents === 0) assert.strictEqual(transfer.processor_reference, null)
      }
    }))

  it("each series of a transfer is told of at most once, and a distribution event names it by the same id as the payment", () =>
    forEvery(Subjects.submittedPayment, fc.array(Subjects.transfers.commands), (payment, commands) => {
      for (const fresh of payment.allocations) {
        let transfer = fresh
        const told: Array<string> = []
        for (const command of commands) {
          const decision = decide(Transfer.machine, transfer, command)
          if (Result.isFailure(decision)) continue
          transfer = decision.success.state
          told.push(...typesOf(decision.success.events))
        }
        assert.isAtMost(told.length, transfer.series)
        const data = Transfer.eventDataOf(payment, transfer)
        const shown = Payment.recordOf(Payment.withTransfer(payment, transfer, payment.updated_at)).allocations
        assert.deepInclude(
          shown.find(({ id }) => id === data.allocation_id),
          {
            net_amount_cents: data.amount_cents,
            gross_amount_cents: data.gross_amount_cents,
            transfer_status: data.transfer_status
          }
        )
      }
    }))
})
