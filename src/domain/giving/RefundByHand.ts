import { type DateTime, Result } from "effect"
import { decide, IllegalTransition, type Refusal } from "../kernel/Machine.ts"
import type * as Donation from "./Donation.ts"
import * as Refund from "./Refund.ts"

const notPending = (status: Refund.Status): IllegalTransition =>
  new IllegalTransition({
    machine: Refund.machine.name,
    command: "Fail",
    status,
    message: `A refund can fail by hand only while it is PENDING; this one is ${status}. The money has gone back already.`
  })

/**
 * Applies a PENDING refund that staff could not pay: as `Refund.failRefund`, but one beside its gift leaves the gift as it is.
 * Fails with {@link IllegalTransition} for a row that is settled; what was paid, only its processor takes back.
 */
export const failByHand = (
  donation: Donation.Donation,
  row: Refund.Refund,
  at: DateTime.Utc
): Result.Result<Refund.Outcome, Refusal> => {
  if (row.is_beside_gift) {
    return Result.map(failSharedByHand(row, at), (refund) => ({ donation, refund, events: [] }))
  }
  return row.status === "SUCCEEDED" ? Result.fail(notPending(row.status)) : Refund.failRefund(donation, row, at)
}

/**
 * Applies a PENDING refund of a part of a payment that staff could not pay. The recipient's gift has a row of its own. Fails
 * with {@link IllegalTransition} for a row that is settled.
 */
export const failSharedByHand = (row: Refund.Refund, at: DateTime.Utc): Result.Result<Refund.Refund, Refusal> =>
  row.status === "SUCCEEDED"
    ? Result.fail(notPending(row.status))
    : Result.map(decide(Refund.machine, row, { _tag: "Fail", at }), ({ state }) => state)
