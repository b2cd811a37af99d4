import { RecommendationSetPaymentRecord } from "../../../domain/sharing/Payment.ts"
import { operationsOf } from "../../access/steps/Operation.ts"
import { asks, Payments, takes } from "../Payments.ts"

const payments = operationsOf(Payments)

/** The operations of {@link Payments}. */
export const paymentOperations = {
  read: payments.forCaller({
    asks: asks.read,
    takes: takes.read,
    gives: RecommendationSetPaymentRecord,
    run: (use, payment) => use.read(payment)
  }),
  refund: payments.forCaller({
    asks: asks.refund,
    keyed: true,
    takes: takes.refund,
    gives: RecommendationSetPaymentRecord,
    run: (use, payment, input) => use.refund(payment, input)
  })
}
