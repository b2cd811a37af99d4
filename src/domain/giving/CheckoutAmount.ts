import { InvalidInput } from "../kernel/Rejection.ts"
import type { Settings } from "./FormSettings.ts"

const invalid = (message: string) => new InvalidInput({ param: "amount_cents", message })

/**
 * The refusal of an amount on a form, minor units; null where the form takes it: one that it suggests, or another one within
 * its bounds where it allows that. A form may have changed since its page was shown: what it takes now is what counts.
 * money, section 4: Amounts.
 * @example
 * const bounds = { minimum_amount_cents: 10_00, maximum_amount_cents: null, suggested_amounts_cents: [5_00] }
 * CheckoutAmount.amountRefusal(5_00, { ...bounds, allow_custom_amount: true }) // => null
 * CheckoutAmount.amountRefusal(9_99, { ...bounds, allow_custom_amount: true })?.param // => "amount_cents"
 */
export const amountRefusal = (
  amount_cents: number,
  form: Pick<
    Settings,
    "allow_custom_amount" | "maximum_amount_cents" | "minimum_amount_cents" | "suggested_amounts_cents"
  >
): InvalidInput | null => {
  const { allow_custom_amount, maximum_amount_cents, minimum_amount_cents, suggested_amounts_cents } = form
  if (suggested_amounts_cents.includes(amount_cents)) return null
  if (!allow_custom_amount) {
    return invalid(`amount_cents must be one that the form suggests: ${suggested_amounts_cents.join(", ")}.`)
  }
  if (minimum_amount_cents !== null && amount_cents < minimum_amount_cents) {
    return invalid(`amount_cents must be at least ${minimum_amount_cents}, which is the least that the form takes.`)
  }
  return maximum_amount_cents !== null && amount_cents > maximum_amount_cents
    ? invalid(`amount_cents must be at most ${maximum_amount_cents}, which is the most that the form takes.`)
    : null
}
