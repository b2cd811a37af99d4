import type { DateTime, Effect } from "effect"
import { Context } from "effect"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import type { CardGuard } from "../../domain/payments/CardGuard.ts"

/** Keeps the guards of cards. pages, section 2: Card testing. */
export class CardGuardStore extends Context.Service<
  CardGuardStore,
  {
    /** An organisation's guards of these subjects, of those that have one, in no order. */
    find(organisation_id: OrganisationId, subjects: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<CardGuard>>
    /**
     * The guards of the same subjects, in the order of the given ones, which are kept where there are none. MUST let one
     * transaction after the other read and replace them.
     */
    findForUpdate(untouched: ReadonlyArray<CardGuard>): Effect.Effect<ReadonlyArray<CardGuard>>
    /** Keeps guards instead of those before. */
    replace(guards: ReadonlyArray<CardGuard>): Effect.Effect<void>
    /**
     * Deletes guards under which nothing was tried after `before`, and which are not closed after it, at most `limit`, and
     * returns how many.
     */
    trim(before: DateTime.Utc, limit: number): Effect.Effect<number>
  }
>()("almoner/ports/CardGuardStore") {}
