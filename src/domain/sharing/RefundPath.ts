import { DateTime, Result } from "effect"
import type { Refund } from "../giving/Refund.ts"
import { GuardRefused } from "../kernel/Machine.ts"
import type { PaymentException } from "../payments/PaymentException.ts"
import { isDue, isGiven, type Transfer } from "./Transfer.ts"
import { isReversal, type TransferAttempt } from "./TransferAttempt.ts"

/** The facts about a part of a payment that is to be refunded. */
export interface PartState {
  readonly transfer: Transfer
  /** Whether a refund of it was paid, or will be. */
  readonly isRefunded: boolean
  /** Whether its money is being taken back from the recipient. */
  readonly isUnderWay: boolean
  /** Whether its money is held, since it did not go to the recipient, or came back from there. */
  readonly isHeld: boolean
  /** Whether its money came back from the recipient, and somebody has said what became of it. */
  readonly isDecided: boolean
}

/** Everything that followed the money of a part that did not go to its recipient, or came back from there. */
export interface PartHistory {
  /** The exceptions by which it was held, without those that a chargeback resolved. */
  readonly exceptions: ReadonlyArray<Pick<PaymentException, "resolved_at">>
  readonly attempts: ReadonlyArray<Pick<TransferAttempt, "created_at" | "reversed_id">>
  /** The refunds of its charge. */
  readonly refunds: ReadonlyArray<Pick<Refund, "allocation_id" | "created_at">>
}

/**
 * Whether somebody has said what became of money that was held: an exception of it was resolved, and neither another transfer
 * nor a refund of the part followed. money, section 11: Exceptions end in one of.
 */
export const isDecided = ({ id }: Pick<Transfer, "id">, { attempts, exceptions, refunds }: PartHistory): boolean => {
  const followed = [
    ...attempts.filter((attempt) => !isReversal(attempt)),
    ...refunds.filter(({ allocation_id }) => allocation_id === id)
  ]
  return exceptions.some(
    ({ resolved_at }) =>
      resolved_at !== null &&
      !followed.some(({ created_at }) => DateTime.isGreaterThanOrEqualTo(created_at, resolved_at))
  )
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

const nothingHeld = (what: string) =>
  refuse("its money is held still", `${what}, and its exception is resolved: nothing is held of it that could go back.`)

/** How a part of a payment is given back; a refusal where it cannot be now. money, section 6: Refunds. */
export const pathOf = (known: PartState): Result.Result<RefundPath, GuardRefused> => {
  const { isDecided, isHeld, isRefunded, isUnderWay, transfer } = known
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
      return isHeld ? Result.succeed("release") : nothingHeld("The transfer of this part was given up")
    case "reversed":
      if (isHeld) return Result.succeed("release")
      return isDecided ? nothingHeld("The money of this part came back from its recipient") : Result.succeed("pay")
  }
}

/**
 * Whether a part still is to be asked for where a whole payment is given back: anything was given toward it, nobody gives it
 * back already, and nobody has said what else became of it.
 */
export const isLeft = ({ isDecided, isHeld, isRefunded, isUnderWay, transfer }: PartState): boolean => {
  const isOver = transfer.transfer_status === "failed" || (transfer.transfer_status === "reversed" && isDecided)
  return isGiven(transfer) && !isRefunded && !isUnderWay && (isHeld || !isOver)
}
