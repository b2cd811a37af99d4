import { Schema } from "effect"
import { AuditEntry } from "../../../domain/access/Audit.ts"
import { AuditLog, asks } from "../AuditLog.ts"
import { operationsOf, value } from "../steps/Operation.ts"

const auditLog = operationsOf(AuditLog)

/** The operations of {@link AuditLog}. */
export const auditLogOperations = {
  list: auditLog.forOperator({
    asks: asks.list,
    takes: [value("limit", Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 })))],
    gives: Schema.Array(AuditEntry),
    run: (use, limit) => use.list(limit)
  })
}
