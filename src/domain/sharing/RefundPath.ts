import { Result } from "effect"
import { GuardRefused } from "../kernel/Machine.ts"
import { isDue, isGiven, type Transfer } from "./Transfer.ts"

/** The facts about a part of a payment that is to be refunded. */
export interface PartState {
  readonly transfer: Transfer
  /** Whether a refund of it was paid, or will be. */
  readonly isRefunded: boolean
  /** Whether its money is being taken back from the recipient. */
  readonly isUnderWay: boolean
  /** Whether its money is held, since it did not go to the recipient. */
  readonly isHeld: boolean
}

/**
 * How the donor gets a part of a payment back: its transfer is reversed first, what is held for it is released first, or it
 * is paid at once.
 */
export type RefundPath = "reverse" | "release" | "pay"

/**
 * The refusal of a refund of a payment.
 * @example RefundPath.refusal("it is given back once", "This part was given back already.").command // => "Refund"
 */
export const refusal = (rule: string, message: string): GuardRefused =>
  new GuardRefused({ machine: "Recommendation set payment", command: "Refund", rule, message })

const refuse = (rule: string, message: string) => Result.fail(refusal(rule, message))

/** How a part of a payment is given back; a refusal where it cannot be now. money, section 6: Refunds. */
export const pathOf = (known: PartState): Result.Result<RefundPath, GuardRefused> => {
  const { isHeld, isRefunded, isUnderWay, transfer } = known
  if (!isGiven(transfer)) {
    return refuse("the donor gave toward it", "Nothing was given toward this recipient: there is nothing to give back.")
  }
  if (isRefunded) return refuse("it is given back once", "This part was given back already.")
  if (isUnderWay) {
    return refuse(
      "its money is not being taken back",
      "The money of this part is being taken back from its recipient already. Wait for what comes of that."
    )
  }
  switch (transfer.transfer_status) {
    case "pending":
      return refuse(
        "its transfer has ended",
        "The money of this part is on its way to its recipient. Wait until the transfer has succeeded or is given up."
      )
    case "succeeded":
      return Result.succeed(isDue(transfer) ? "reverse" : "pay")
    case "failed":
      return isHeld
        ? Result.succeed("release")
        : refuse(
            "its money is held still",
            "The transfer of this part was given up, and its exception is resolved: nothing is held of it that could go back."
          )
    case "reversed":
      return Result.succeed(isHeld ? "release" : "pay")
  }
}

/**
 * Whether a part still is to be asked for where a whole payment is given back: anything was given toward it, and nobody gives
 * it back already.
 */
export const isLeft = ({ isHeld, isRefunded, isUnderWay, transfer }: PartState): boolean =>
  isGiven(transfer) && !isRefunded && !isUnderWay && (transfer.transfer_status !== "failed" || isHeld)
