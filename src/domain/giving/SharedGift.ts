import { GuardRefused } from "../kernel/Machine.ts"
import type { Donation } from "./Donation.ts"

/**
 * The refusal to refund a gift that came as a part of a payment to a recommendation set: whoever took the money gives it back.
 * Null for every other gift. money, section 6: Refunds.
 */
export const refundRefusal = ({ source }: Pick<Donation, "source">): GuardRefused | null =>
  source === "RECOMMENDATION_SET"
    ? new GuardRefused({
        machine: "Donation",
        command: "RefundPart",
        rule: "whoever took the money gives it back",
        message:
          "This gift is a part of a payment that the recommending organisation took: only that organisation can refund it. Ask it to."
      })
    : null
