import { PaymentExceptionRecord } from "../../../domain/payments/Resolving.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, PaymentExceptions, takes } from "../PaymentExceptions.ts"

const exceptions = operationsOf(PaymentExceptions)

/** The operations of {@link PaymentExceptions}. */
export const paymentExceptionOperations = {
  list: exceptions.forOperator({
    says: "List what somebody must look at about money, newest first; open ones when nothing else is said",
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(PaymentExceptionRecord),
    run: (use, asked) => use.list(asked)
  }),
  resolve: exceptions.forOperator({
    says: "Say what was done about it, and what became of the money that was held",
    asks: asks.resolve,
    takes: takes.resolve,
    gives: PaymentExceptionRecord,
    run: (use, id, input) => use.resolve(id, input)
  })
}
