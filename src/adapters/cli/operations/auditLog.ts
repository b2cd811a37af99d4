import { Effect, Schema } from "effect"
import { Flag } from "effect/cli"
import { AuditLog, auditLogOperations } from "../../../app/access/AuditLog.ts"
import { AuditEntry } from "../../../domain/access/Audit.ts"
import { type Operation, ofOrganisation } from "../Operation.ts"
import { listOf, withDefault } from "./Parameters.ts"

export const auditLogCommands: ReadonlyArray<Operation> = [
  ofOrganisation({
    group: "audit",
    name: "list",
    description: auditLogOperations.list.summary,
    parameters: { limit: withDefault(Flag.Int("limit"), "Entries at most, 1 to 1000", 100) },
    input: Schema.Struct({ limit: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 })) }),
    output: listOf(AuditEntry),
    columns: ["created_at", "operation", "subject_id", "actor_type", "actor_id", "request_id"],
    run: ({ limit }) => AuditLog.use((audit) => Effect.map(audit.list(limit), (data) => ({ data })))
  })
]
