import * as Refund from "../../../domain/giving/Refund.ts"
import { RefundId } from "../../../domain/kernel/Ids.ts"
import { id, operationsOf, optionalBody, pageOf, query } from "../../access/steps/Operation.ts"
import { asks, Refunds } from "../Refunds.ts"

const refunds = operationsOf(Refunds)

/** The operations of {@link Refunds}. */
export const refundOperations = {
  list: refunds.forOperator({
    asks: asks.list,
    takes: [query(Refund.listing)],
    gives: pageOf(Refund.RefundRecord),
    run: (use, asked) => use.list(asked)
  }),
  settle: refunds.forOperator({
    asks: asks.settle,
    takes: [id(RefundId, "refund"), optionalBody(Refund.Settlement)],
    gives: Refund.RefundRecord,
    run: (use, refund, input) => use.settle(refund, input)
  }),
  fail: refunds.forOperator({
    asks: asks.fail,
    takes: [id(RefundId, "refund")],
    gives: Refund.RefundRecord,
    run: (use, refund) => use.fail(refund)
  })
}
