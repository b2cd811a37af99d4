import { Flag } from "effect/cli"
import { mailOperations as declared } from "../../../app/outbox/Mails.ts"
import { Budget, Status } from "../../../domain/kernel/Mail.ts"
import type { Operation } from "../Operation.ts"
import { runAgainst } from "../Over.ts"
import { optional, pageFlags } from "./Parameters.ts"

export const mailCommands: ReadonlyArray<Operation> = [
  runAgainst(declared.list, {
    group: "mail",
    name: "list",
    parameters: {
      status: optional(
        Flag.Literals("status", [...Status.literals, "UNREADABLE"]),
        "Those that are this far; UNREADABLE are set aside"
      ),
      delayed_by: optional(Flag.Literals("delayed-by", Budget.literals), "Those that wait for this budget"),
      ...pageFlags
    },
    columns: ["id", "template", "subject_id", "status", "attempt_count", "delayed_by", "next_attempt_at", "created_at"]
  })
]
