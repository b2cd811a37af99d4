import { Flag } from "effect/cli"
import { chargeOperations as declared } from "../../../app/payments/Charges.ts"
import { Status } from "../../../domain/payments/Charge.ts"
import type { Operation } from "../Operation.ts"
import { runAgainst } from "../Over.ts"
import { idOf, optional, pageFlags } from "./Parameters.ts"

export const chargeCommands: ReadonlyArray<Operation> = [
  runAgainst(declared.list, {
    group: "charge",
    name: "list",
    parameters: {
      status: optional(Flag.Literals("status", Status.literals), "Those that are this far"),
      subject_id: optional(Flag.String("subject"), "Those of this gift or payment"),
      ...pageFlags
    },
    columns: ["id", "subject_id", "method", "amount_cents", "currency", "status", "failure_code", "created_at"]
  }),
  runAgainst(declared.read, { group: "charge", name: "show", parameters: { id: idOf("charge") } }),
  runAgainst(declared.look, { group: "charge", name: "look", parameters: { id: idOf("charge") } })
]
