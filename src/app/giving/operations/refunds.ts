import * as Refund from "../../../domain/giving/Refund.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, Refunds, takes } from "../Refunds.ts"

const refunds = operationsOf(Refunds)

/** The operations of {@link Refunds}. */
export const refundOperations = {
  list: refunds.forOperator({
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(Refund.RefundRecord),
    run: (use, asked) => use.list(asked)
  }),
  settle: refunds.forOperator({
    asks: asks.settle,
    takes: takes.settle,
    gives: Refund.RefundRecord,
    run: (use, refund, input) => use.settle(refund, input)
  }),
  fail: refunds.forOperator({
    asks: asks.fail,
    takes: takes.fail,
    gives: Refund.RefundRecord,
    run: (use, refund) => use.fail(refund)
  })
}
