import { Flag } from "effect/cli"
import { refundOperations as declared } from "../../../app/giving/Refunds.ts"
import { Status } from "../../../domain/giving/Refund.ts"
import type { Operation } from "../Operation.ts"
import { runAgainst } from "../Over.ts"
import { idOf, optional, pageFlags } from "./Parameters.ts"

export const refundCommands: ReadonlyArray<Operation> = [
  runAgainst(declared.list, {
    group: "refund",
    name: "list",
    parameters: { status: optional(Flag.Literals("status", Status.literals), "Those that are this far"), ...pageFlags },
    columns: ["id", "donation_id", "amount_cents", "status", "created_at", "refunded_at"]
  }),
  runAgainst(declared.settle, {
    group: "refund",
    name: "settle",
    parameters: {
      id: idOf("refund"),
      processor_reference: optional(Flag.String("reference"), "What the bank or the processor calls it")
    }
  }),
  runAgainst(declared.fail, { group: "refund", name: "fail", parameters: { id: idOf("refund") } })
]
