import { Flag } from "effect/cli"
import { transferOperations as declared } from "../../../app/sharing/Transfers.ts"
import { Status } from "../../../domain/sharing/TransferAttempt.ts"
import type { Operation } from "../Operation.ts"
import { runAgainst } from "../Over.ts"
import { idOf, optional, pageFlags } from "./Parameters.ts"

export const transferCommands: ReadonlyArray<Operation> = [
  runAgainst(declared.list, {
    group: "transfer",
    name: "list",
    parameters: {
      status: optional(
        Flag.Literals("status", Status.literals),
        "Those whose outcome is not known yet, or is this one"
      ),
      payment_id: optional(Flag.String("payment"), "Those of this payment"),
      allocation_id: optional(Flag.String("allocation"), "Those of this part of a payment"),
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
  runAgainst(declared.retry, { group: "transfer", name: "retry", parameters: { id: idOf("allocation") } }),
  runAgainst(declared.settle, {
    group: "transfer",
    name: "settle",
    parameters: {
      id: idOf("transfer or reversal"),
      processor_reference: optional(Flag.String("reference"), "What the bank calls it")
    }
  }),
  runAgainst(declared.fail, { group: "transfer", name: "fail", parameters: { id: idOf("transfer or reversal") } })
]
