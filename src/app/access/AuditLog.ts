import { Effect, Schema } from "effect"
import { AuditEntry } from "../../domain/access/Audit.ts"
import { AuditStore } from "../../ports/access/AuditStore.ts"
import { Service } from "../kernel/service/Service.ts"
import { requireStaff } from "./caller/CallerContext.ts"
import { operationsOf, value } from "./operation/Operation.ts"
import * as Row from "./operation/OperationRow.ts"
import { checkedService } from "./operation/ServiceChecks.ts"

const operations = Row.table("audit", {
  list: Row.staffRead(
    "List who did what, newest first",
    [value("limit", Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 })))],
    Schema.Array(AuditEntry)
  )
})

/** Reads the audit. decisions, section 1: Audit. */
export class AuditLog extends Service<AuditLog>()("almoner/app/AuditLog", function* () {
  const store = yield* AuditStore

  /** The newest entries of the caller's organisation, newest first, at most `limit`. For operators. */
  const list = Effect.fn("AuditLog.list")(function* (limit: number) {
    const { organisation } = yield* requireStaff(operations.list)
    return yield* store.list(organisation.id, limit)
  })

  return checkedService(operations, { list })
}) {}

/** The operations of {@link AuditLog}. */
export const auditLogOperations = operationsOf(AuditLog, operations)
