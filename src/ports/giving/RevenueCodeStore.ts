import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { Namespace, RevenueCode } from "../../domain/giving/RevenueCode.ts"
import type { OrganisationId, RevenueCodeId } from "../../domain/kernel/Ids.ts"
import type { AlreadyTaken } from "../../domain/kernel/Rejection.ts"
import type { RecordStore } from "../kernel/RecordStore.ts"

/**
 * Keeps revenue codes. `insert` and `update` MUST fail with {@link AlreadyTaken} when the namespace has the code, whatever
 * its case and its Unicode form, archived or not.
 */
export class RevenueCodeStore extends Context.Service<
  RevenueCodeStore,
  RecordStore<RevenueCode, RevenueCodeId, AlreadyTaken> & {
    /**
     * Inserts the code, or answers the one that has its text already. MUST answer one and the same record to requests at
     * the same moment.
     */
    findOrInsert(code: RevenueCode): Effect.Effect<{ readonly code: RevenueCode; readonly created: boolean }>
    findByCode(
      organisation_id: OrganisationId,
      namespace: Namespace,
      code: string
    ): Effect.Effect<Option.Option<RevenueCode>>
  }
>()("almoner/ports/RevenueCodeStore") {}
