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

/** The least and the greatest gift that is taken, whatever by. */
export type AmountBounds = Omit<typeof MethodBounds.Type, "method">

/**
 * Whether an amount is taken.
 * @example
 * MethodBounds.isWithinBounds(50, { minimum_cents: 50, maximum_cents: 100 }) // => true
 * MethodBounds.isWithinBounds(0, { minimum_cents: null, maximum_cents: 100 }) // => false
 */
export const isWithinBounds = (amount_cents: number, { maximum_cents, minimum_cents }: AmountBounds): boolean =>
  amount_cents >= (minimum_cents ?? 1) && amount_cents <= maximum_cents

/**
 * The least and the greatest gift of several bounds together; undefined where there are none.
 * @example
 * MethodBounds.widestOf([{ minimum_cents: 50, maximum_cents: 100 }, { minimum_cents: 10, maximum_cents: 60 }])
 * // => { minimum_cents: 10, maximum_cents: 100 }
 */
export const widestOf = (all: ReadonlyArray<AmountBounds>): AmountBounds | undefined => {
  if (all.length === 0) return undefined
  const minimums = all.flatMap(({ minimum_cents }) => minimum_cents ?? [])
  return {
    minimum_cents: minimums.length < all.length ? null : Math.min(...minimums),
    maximum_cents: Math.max(...all.map(({ maximum_cents }) => maximum_cents))
  }
}
