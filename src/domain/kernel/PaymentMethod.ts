import { Schema } from "effect"

/** How a donor may pay through a processor. service-spec, Checkout link: payment_methods. */
export const PaymentMethod = Schema.Literals(["card", "au_becs_debit", "payto", "bank_transfer"]).annotate({
  identifier: "PaymentMethodType"
})
export type PaymentMethod = typeof PaymentMethod.Type
