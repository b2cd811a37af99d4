import { Flag } from "effect/cli"
import { paymentOperations } from "../../../app/sharing/Payments.ts"
import { recommendationSetOperations } from "../../../app/sharing/RecommendationSets.ts"
import { transferOperations } from "../../../app/sharing/Transfers.ts"
import { Status } from "../../../domain/sharing/TransferAttempt.ts"
import { commandsOf, runAgainst } from "../Operation.ts"
import { commaList, idOf, optional, optionalText, pageFlags } from "./Parameters.ts"

const paymentId = idOf("payment")

export const paymentCommands = commandsOf("payment", {
  list: runAgainst(recommendationSetOperations.listPayments, {
    description: "List the payments to a recommendation set, newest first",
    parameters: { id: idOf("recommendation set"), ...pageFlags },
    columns: ["id", "donor_id", "payment_status", "distribution_status", "total_amount_cents", "created_at"]
  }),
  show: runAgainst(paymentOperations.read, {
    description: "Show a payment to a recommendation set, and what became of each part",
    parameters: { id: paymentId }
  }),
  refund: runAgainst(paymentOperations.refund, {
    description: "Give a payment back, or single parts of it: recipients give theirs back first",
    parameters: {
      id: paymentId,
      allocation_ids: optional(
        Flag.map(Flag.String("allocation"), commaList),
        "Only these parts of it, separated by commas"
      )
    }
  })
})

export const transferCommands = commandsOf("transfer", {
  list: runAgainst(transferOperations.list, {
    parameters: {
      status: optional(
        Flag.Literals("status", Status.literals),
        "Those whose outcome is not known yet, or is this one"
      ),
      payment_id: optionalText("payment", "Those of this payment"),
      allocation_id: optionalText("allocation", "Those of this part of a payment"),
      ...pageFlags
    },
    columns: [
      "id",
      "allocation_id",
      "cause",
      "series",
      "number",
      "amount_cents",
      "currency",
      "status",
      "failure_code",
      "look_at",
      "created_at"
    ]
  }),
  retry: runAgainst(transferOperations.retry),
  settle: runAgainst(transferOperations.settle, {
    parameters: {
      id: idOf("transfer or reversal"),
      processor_reference: optionalText("processor-reference", "What the bank calls it")
    }
  }),
  fail: runAgainst(transferOperations.fail)
})
