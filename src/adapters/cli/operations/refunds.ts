import { Flag } from "effect/cli"
import { refundOperations as declared } from "../../../app/giving/Refunds.ts"
import { Status } from "../../../domain/giving/Refund.ts"
import type { Operation } from "../Operation.ts"
import { over } from "../Over.ts"
import { idOf, optional, paging } from "./Parameters.ts"

export const refundCommands: ReadonlyArray<Operation> = [
  over(declared.list, {
    group: "refund",
    name: "list",
    parameters: { status: optional(Flag.Literals("status", Status.literals), "Those that are this far"), ...paging },
    columns: ["id", "donation_id", "amount_cents", "status", "created_at", "refunded_at"]
  }),
  over(declared.settle, {
    group: "refund",
    name: "settle",
    parameters: {
      id: idOf("refund"),
      processor_reference: optional(Flag.String("reference"), "What the bank or the processor calls it")
    }
  }),
  over(declared.fail, { group: "refund", name: "fail", parameters: { id: idOf("refund") } })
]
