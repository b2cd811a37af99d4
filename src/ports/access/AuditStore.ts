import type { Effect } from "effect"
import { Context } from "effect"
import type { AuditEntry } from "../../domain/access/Audit.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"

/** Keeps the audit. */
export class AuditStore extends Context.Service<
  AuditStore,
  {
    /** In the surrounding transaction. */
    append(entry: AuditEntry): Effect.Effect<void>
    /** Newest first, at most `limit`. */
    list(organisation_id: OrganisationId, limit: number): Effect.Effect<ReadonlyArray<AuditEntry>>
  }
>()("almoner/ports/AuditStore") {}
