import * as Refund from "../../../domain/giving/Refund.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, Refunds, takes } from "../Refunds.ts"

const refunds = operationsOf(Refunds)

/** The operations of {@link Refunds}. */
export const refundOperations = {
  list: refunds.forOperator({
    says: "List refunds of all gifts, newest first; PENDING ones wait for settle or fail",
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(Refund.RefundRecord),
    run: (use, asked) => use.list(asked)
  }),
  settle: refunds.forOperator({
    says: "Say that the money of a pending refund went back",
    example: ["rfd_01jqz6x8h4e5vb9m2k7ncw3t5d", { processor_reference: "ACH-2214" }],
    asks: asks.settle,
    takes: takes.settle,
    gives: Refund.RefundRecord,
    run: (use, refund, input) => use.settle(refund, input)
  }),
  fail: refunds.forOperator({
    says: "Say that a pending refund failed: its amount counts as given again",
    asks: asks.fail,
    takes: takes.fail,
    gives: Refund.RefundRecord,
    run: (use, refund) => use.fail(refund)
  })
}
