import { RecommendationSetPaymentRecord } from "../../../domain/sharing/Payment.ts"
import { TransferAttemptRecord } from "../../../domain/sharing/TransferAttempt.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, Transfers, takes } from "../Transfers.ts"

const transfers = operationsOf(Transfers)

/** The operations of {@link Transfers}. */
export const transferOperations = {
  list: transfers.forOperator({
    says: "List the attempts to bring shared payments to their recipients and to take them back, newest first",
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(TransferAttemptRecord),
    run: (use, asked) => use.list(asked)
  }),
  retry: transfers.forOperator({
    says: "Begin a transfer anew that was given up, or taken back for a dispute that was won, with a new gift of the recipient's",
    asks: asks.retry,
    takes: takes.retry,
    gives: RecommendationSetPaymentRecord,
    run: (use, id) => use.retry(id)
  }),
  settle: transfers.forOperator({
    says: "Say that the money of a transfer, or of a reversal, has moved by hand",
    example: ["trf_01jqz6x8h4e5vb9m2k7ncw3t5d", { processor_reference: "NPP-7731" }],
    asks: asks.settle,
    takes: takes.settle,
    gives: TransferAttemptRecord,
    run: (use, transfer, input) => use.settle(transfer, input)
  }),
  fail: transfers.forOperator({
    says: "Say that the money of a transfer, or of a reversal, cannot be moved by hand: no other attempt follows",
    asks: asks.fail,
    takes: takes.fail,
    gives: TransferAttemptRecord,
    run: (use, transfer) => use.fail(transfer)
  })
}
