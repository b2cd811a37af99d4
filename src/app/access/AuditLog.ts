import { Context, Effect, Layer } from "effect"
import { staffReads } from "../../domain/access/Policy.ts"
import { AuditStore } from "../../ports/access/AuditStore.ts"
import { permittedToStaff } from "./steps/Permission.ts"

/** The scope and plan that each operation requires. decisions, section 3. */
export const asks = {
  list: staffReads("audit.list")
}

/** Reads the audit. decisions, section 1: Audit. */
export class AuditLog extends Context.Service<AuditLog>()("almoner/app/AuditLog", {
  make: Effect.gen(function* () {
    const store = yield* AuditStore

    /** The newest entries of the caller's organisation, newest first, at most `limit`. For operators. */
    const list = Effect.fn("AuditLog.list")(function* (limit: number) {
      const { organisation } = yield* permittedToStaff(asks.list)
      return yield* store.list(organisation.id, limit)
    })

    return { list } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
