import type { DateTime, Duration, Effect, Option } from "effect"
import { Context } from "effect"
import type { Integration } from "../../domain/access/Integration.ts"
import type { CalendarDate } from "../../domain/kernel/CalendarDate.ts"
import type { ChargeId, IntegrationId, OrganisationId } from "../../domain/kernel/Ids.ts"
import type { Charge } from "../../domain/payments/Charge.ts"
import type { Position, Reconciliation } from "../../domain/payments/Reconciliation.ts"
import type { Movement, StatementPage } from "./ProcessorStatements.ts"

/** A charge as far as a list of the processor's is compared with it. */
export type MetCharge = Pick<Charge, "id" | "integration_id" | "organisation_id" | "reference">

/** Where something moved: on the processor's statement, or in the books. */
export type Side = "statement" | "books"

/**
 * Keeps how far accounts were reconciled, and their processors' statements, and reads what is compared with those. Pages are
 * small and are read by keys, so that any number of charges takes the same memory.
 */
export class ReconciliationStore extends Context.Service<
  ReconciliationStore,
  {
    /**
     * How far an account was reconciled, held by `holder` for as long as `lease`, by the store's clock; none where somebody
     * else holds it. MUST give it to one holder at a time.
     */
    claim(
      organisation_id: OrganisationId,
      integration_id: IntegrationId,
      holder: string,
      lease: Duration.Duration
    ): Effect.Effect<Option.Option<Reconciliation>>
    /** Keeps it, and holds it for longer. MUST change nothing, and answer false, where somebody else holds it by now. */
    save(reconciliation: Reconciliation, holder: string, lease: Duration.Duration): Effect.Effect<boolean>
    /** Lets others have it, where `holder` still holds it. */
    release(organisation_id: OrganisationId, integration_id: IntegrationId, holder: string): Effect.Effect<void>
    /**
     * Charges of an account of which something is expected (`isExpected` of `PollPlan.ts`) and that nobody will look at any
     * more, those after an id, in the order of their ids, at most `limit`.
     */
    silent(
      integration: Integration,
      after: ChargeId | null,
      limit: number
    ): Effect.Effect<ReadonlyArray<Pick<Charge, "created_at" | "id" | "reference">>>
    /**
     * Charges that have one of these references or ids and are taken by the same account of the same processor, whichever
     * organisation's.
     */
    met(
      integration: Integration,
      references: ReadonlyArray<string>,
      ids: ReadonlyArray<ChargeId>
    ): Effect.Effect<ReadonlyArray<MetCharge>>
    /** Keeps lines of a statement, as a reading of it found them. MUST keep one line of a reference, the latest. */
    keep(integration: Integration, movements: ReadonlyArray<Movement>, reading: string): Effect.Effect<void>
    /** Ends a reading of a day, in UTC, that went to its end: MUST drop the day's lines that it did not find, and no others. */
    finish(integration: Integration, day: CalendarDate, reading: string): Effect.Effect<void>
    /**
     * The processor's identifiers of charges of which something moved on a day, in UTC: at most `limit` lines or entries at a
     * time, so that a page may hold one twice. `page` is `next` of the page before, null for the first.
     */
    moved(
      integration: Integration,
      side: Side,
      day: CalendarDate,
      page: string | null,
      limit: number
    ): Effect.Effect<StatementPage<string>>
    /** Charges by the statements that were kept, and by the books, in the order in which they are asked for. */
    positions(integration: Integration, references: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Position>>
    /** When the first charge of an account was made; none where there is none. */
    first(integration: Integration): Effect.Effect<Option.Option<DateTime.Utc>>
  }
>()("almoner/ports/ReconciliationStore") {}
