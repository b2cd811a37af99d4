import { Schema } from "effect"
import { clearable } from "../kernel/Fields.ts"
import { Limits } from "../kernel/Limits.ts"
import { GivenId } from "../kernel/Text.ts"

/** The input that gives a payment back, in full or the named parts of it. money, section 6: Refunds. */
export const NewPaymentRefund = Schema.Struct({
  allocation_ids: clearable(
    Schema.Array(GivenId).check(Schema.isMaxLength(Limits.setAllocations), Schema.isMinLength(1))
  )
}).annotate({
  identifier: "NewPaymentRefund",
  meanings: { allocation_ids: "The parts of the payment to give back, whole; all that is left of it when not given." }
})
export type NewPaymentRefund = typeof NewPaymentRefund.Type
