import type { DateTime, Duration, Effect, Option } from "effect"
import { Context } from "effect"
import type { NoticeId, OrganisationId } from "../../domain/kernel/Ids.ts"
import type { ListQuery, Page } from "../../domain/kernel/Listing.ts"
import type { InvalidInput } from "../../domain/kernel/Rejection.ts"
import type { Notice } from "../../domain/payments/Notice.ts"
import type { RecordReader } from "../kernel/RecordStore.ts"

/** The outcome of a claimed notice. */
export interface ConcludedNotice {
  /** As it was handed out. */
  readonly before: Notice
  readonly after: Notice
}

/** Keeps the notices of processors. Some belong to no organisation, or not yet. */
export class NoticeStore extends Context.Service<
  NoticeStore,
  RecordReader<Notice, NoticeId> & {
    /** The time by the store's clock, by which `apply_at` is judged. */
    readonly now: Effect.Effect<DateTime.Utc>
    /**
     * Keeps a notice, and answers whether it is new. An event MUST be kept once for each integration, also at the same moment,
     * once at the address of each processor's own account, and for no integration once it is kept there. MUST raise the hint
     * that {@link wait} waits for once that committed.
     */
    add(notice: Notice): Effect.Effect<boolean>
    /** The notice of any organisation or none. MUST hold the row against every change until the surrounding transaction ends. */
    hold(id: NoticeId): Effect.Effect<Option.Option<Notice>>
    /**
     * Writes all fields of the notice, whose organisation may have become known. Where it is to be applied, MUST raise the hint
     * once that committed.
     */
    update(notice: Notice): Effect.Effect<void>
    /**
     * Writes what became of notices that {@link claim} handed out, all fields of each. MUST leave one as it is that is not as it
     * was handed out any more: somebody else did something to it, or was handed it out after the lease. Where one is to be applied
     * again, MUST raise the hint once that committed.
     */
    conclude(changes: ReadonlyArray<ConcludedNotice>): Effect.Effect<void>
    /** Those that belong to no organisation, as {@link RecordReader.list} answers. */
    unclaimed(query: ListQuery): Effect.Effect<Page<Notice>, InvalidInput>
    /**
     * Hands out notices whose `apply_at` has passed, at most `limit`, the longest due first, the organisations in turn. MUST give
     * one to one worker only for as long as `lease`, by moving its `apply_at` to the end of it. MUST hand out the others where
     * some cannot be read.
     */
    claim(limit: number, lease: Duration.Duration, only?: OrganisationId): Effect.Effect<ReadonlyArray<Notice>>
    /** Deletes notices that have ended and came before, at most `limit`, and answers how many. */
    trim(before: DateTime.Utc, limit: number): Effect.Effect<number>
    /** How long until a notice is due; none where none is to be applied. */
    readonly nextDue: Effect.Effect<Option.Option<Duration.Duration>>
    /** As {@link nextDue}, of one organisation, by its clock. */
    nextDueOf(organisation_id: OrganisationId): Effect.Effect<Option.Option<Duration.Duration>>
    /** Waits for a hint that notices may be due. It may be lost: polling is the backstop. */
    readonly wait: Effect.Effect<void>
  }
>()("almoner/ports/NoticeStore") {}
