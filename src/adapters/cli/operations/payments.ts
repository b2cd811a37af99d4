import { Flag } from "effect/cli"
import { paymentOperations as declared } from "../../../app/sharing/Payments.ts"
import { recommendationSetOperations } from "../../../app/sharing/RecommendationSets.ts"
import type { Operation } from "../Operation.ts"
import { runAgainst } from "../Over.ts"
import { commaList, idOf, optional, pageFlags } from "./Parameters.ts"

const group = "payment"
const id = idOf("payment")

export const paymentCommands: ReadonlyArray<Operation> = [
  runAgainst(recommendationSetOperations.listPayments, {
    group,
    name: "list",
    description: "List the payments to a recommendation set, newest first",
    parameters: { id: idOf("recommendation set"), ...pageFlags },
    columns: ["id", "donor_id", "status", "distribution_status", "amount_cents", "currency", "created_at"]
  }),
  runAgainst(declared.read, {
    group,
    name: "show",
    description: "Show a payment to a recommendation set, and what became of each part",
    parameters: { id }
  }),
  runAgainst(declared.refund, {
    group,
    name: "refund",
    description: "Give a payment back, or single parts of it: recipients give theirs back first",
    parameters: {
      id,
      allocation_ids: optional(
        Flag.map(Flag.String("allocation"), commaList),
        "Only these parts of it, separated by commas"
      )
    }
  })
]
