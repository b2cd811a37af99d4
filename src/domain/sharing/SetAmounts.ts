import { InvalidInput } from "../kernel/Rejection.ts"
import type { EnteredAmount } from "./Checkout.ts"
import { type Allocation, amountsViolationOf, totalCents } from "./RecommendationSet.ts"
import type { Amounts } from "./RecommendationSetRules.ts"

const invalid = (param: string, message: string): InvalidInput => new InvalidInput({ param, message })

const changed =
  "The recommendation set is not what the page showed. Open the page again, show what it recommends now, and submit that."

interface Entering extends Amounts {
  readonly allocations: ReadonlyArray<Allocation>
}

/** The donor's amounts on a set's page, in the order of the set, or the refusal. */
export interface EnteredAmounts {
  readonly amounts_cents: ReadonlyArray<number>
  readonly refusal: InvalidInput | null
}

const refused = (refusal: InvalidInput): EnteredAmounts => ({ amounts_cents: [], refusal })

/**
 * The amount for each recipient of a set, minor units, and the refusal of it: of recipients that are not those of the
 * set now, in its order, of amounts that the set does not take, and of a total that is not `amount_cents`, which the
 * page showed. money, section 4: Amounts.
 */
export const enteredOf = (
  set: Entering,
  allocations: ReadonlyArray<EnteredAmount> | null | undefined,
  amount_cents: number
): EnteredAmounts => {
  if (allocations === null || allocations === undefined) {
    return refused(invalid("allocations", "Say in allocations what goes to each recipient of the recommendation set."))
  }
  const strange = allocations.findIndex(({ id }, index) => set.allocations[index]?.id !== id)
  if (strange !== -1) return refused(invalid(`allocations[${strange}].id`, changed))
  if (allocations.length !== set.allocations.length) return refused(invalid("allocations", changed))
  const amounts_cents = allocations.map((each) => each.amount_cents)
  const violation = amountsViolationOf(set, amounts_cents)
  if (violation !== null) {
    const { message, param } = violation
    return refused(invalid(param === "total_amount_cents" ? "amount_cents" : param, message))
  }
  const total = totalCents(allocations)
  return total === amount_cents
    ? { amounts_cents, refusal: null }
    : refused(invalid("amount_cents", `amount_cents must be ${total}, which is what goes to the recipients in total.`))
}
