import { Schema } from "effect"
import { AuditEntry } from "../../../domain/access/Audit.ts"
import { AuditLog, asks, takes } from "../AuditLog.ts"
import { operationsOf } from "../steps/Operation.ts"

const auditLog = operationsOf(AuditLog)

/** The operations of {@link AuditLog}. */
export const auditLogOperations = {
  list: auditLog.forOperator({
    says: "List who did what, newest first",
    example: [10],
    asks: asks.list,
    takes: takes.list,
    gives: Schema.Array(AuditEntry),
    run: (use, limit) => use.list(limit)
  })
}
