import { Context, Effect, Layer, Schema } from "effect"
import { staffReads } from "../../domain/access/Policy.ts"
import { AuditStore } from "../../ports/access/AuditStore.ts"
import { checked } from "./steps/Checked.ts"
import { value } from "./steps/Operation.ts"
import { permittedToStaff } from "./steps/Permission.ts"

/** The scope and plan that each operation requires. decisions, section 3. */
export const asks = {
  list: staffReads("audit.list")
}

/** What each use case takes: the service refuses anything else. */
export const takes = {
  list: [value("limit", Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 })))]
} as const

/** Reads the audit. decisions, section 1: Audit. */
export class AuditLog extends Context.Service<AuditLog>()("almoner/app/AuditLog", {
  make: Effect.gen(function* () {
    const store = yield* AuditStore

    /** The newest entries of the caller's organisation, newest first, at most `limit`. For operators. */
    const list = Effect.fn("AuditLog.list")(function* (limit: number) {
      const { organisation } = yield* permittedToStaff(asks.list)
      return yield* store.list(organisation.id, limit)
    })

    return checked(asks, takes, { list })
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
