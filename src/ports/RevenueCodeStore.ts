import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { OrganisationId, RevenueCodeId } from "../domain/Ids.ts"
import type { ListQuery, Page } from "../domain/Listing.ts"
import type { AlreadyTaken, InvalidInput } from "../domain/Rejection.ts"
import type { Namespace, RevenueCode } from "../domain/RevenueCode.ts"

/** Keeps revenue codes. Every operation MUST see the named organisation's codes only. */
export class RevenueCodeStore extends Context.Service<
  RevenueCodeStore,
  {
    /** MUST fail with {@link AlreadyTaken} when the namespace has the code, whatever its case, archived or not. */
    insert(code: RevenueCode): Effect.Effect<void, AlreadyTaken>
    /**
     * Inserts the code, or answers the one that has its text already. MUST answer one and the same record to requests at
     * the same moment.
     */
    findOrInsert(code: RevenueCode): Effect.Effect<{ readonly code: RevenueCode; readonly created: boolean }>
    find(organisation_id: OrganisationId, id: RevenueCodeId): Effect.Effect<Option.Option<RevenueCode>>
    findByCode(
      organisation_id: OrganisationId,
      namespace: Namespace,
      code: string
    ): Effect.Effect<Option.Option<RevenueCode>>
    /** MUST hold the row until the surrounding transaction ends. */
    findForUpdate(organisation_id: OrganisationId, id: RevenueCodeId): Effect.Effect<Option.Option<RevenueCode>>
    /** MUST fail with {@link AlreadyTaken} as {@link insert} does. */
    update(code: RevenueCode): Effect.Effect<void, AlreadyTaken>
    /** MUST answer as `domain/Listing` defines; an unknown cursor is {@link InvalidInput}. */
    list(organisation_id: OrganisationId, query: ListQuery): Effect.Effect<Page<RevenueCode>, InvalidInput>
  }
>()("almoner/ports/RevenueCodeStore") {}
