import { Schema } from "effect"
import { DonationCents } from "../kernel/Money.ts"
import { PaymentMethod } from "../kernel/PaymentMethod.ts"

/** The least and the greatest gift that is taken by a method. */
export const MethodBounds = Schema.Struct({
  method: PaymentMethod,
  minimum_cents: Schema.NullOr(DonationCents),
  maximum_cents: DonationCents
}).annotate({
  meanings: {
    method: "How the donor pays.",
    minimum_cents: "The least gift by this method, minor units; null where any is enough.",
    maximum_cents: "The greatest gift by this method, minor units."
  }
})

/** The least and the greatest gift that an account takes by any of its methods. */
export type AmountBounds = Omit<typeof MethodBounds.Type, "method">
