import { Limits } from "../kernel/Limits.ts"
import type { Step } from "./Settlement.ts"
import type { ExceptionFacts } from "./StepApplication.ts"

const late = {
  goesBack: "Money came after the charge had ended. It goes back to the donor.",
  held: "Money came after the charge had ended, and cannot be sent back from here. Decide with the donor."
}

/**
 * The reason of an exception, in words for the person who looks. `step` opened it.
 * @example
 * const late = { kind: "late_success", amount_cents: 50_00, held_cents: 0 } as const
 * Reasons.reasonOf(late, { _tag: "TakeLate" })
 * // => "Money came after the charge had ended. It goes back to the donor."
 */
export const reasonOf = ({ held_cents, kind }: ExceptionFacts, step: Step): string => {
  switch (kind) {
    case "late_success":
      return held_cents === 0 ? late.goesBack : late.held
    case "mismatch":
      return step._tag === "Mismatch"
        ? step.reason
        : "The processor paid something back of which nothing is known here."
    case "refund_failed":
      return "The processor could not pay a refund back. Its amount counts as given again: pay it back in another way."
    case "unrecovered":
      return "More was taken back than the gift had left. The organisation bears the rest."
    case "underpaid":
      return "Less came than the gift is, and its time to be paid is over. Decide with the donor."
    case "statement_missing":
      return `No statement covers the last day of this transfer, which lapsed ${Limits.bankTransferUncoveredDays} days after it: nobody has looked whether its money came. Import the statement.`
    case "fee_exceeds_gift":
      return "The processor took more than the gift. The organisation bears the rest."
  }
}
