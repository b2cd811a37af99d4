import type { DateTime, Effect } from "effect"
import type { Integration } from "../../domain/access/Integration.ts"
import type { CalendarDate } from "../../domain/kernel/CalendarDate.ts"
import type { ChargeId } from "../../domain/kernel/Ids.ts"
import type { ProcessorFailure } from "./PaymentProcessors.ts"

/** A charge that the processor has. */
export interface CreatedCharge {
  readonly reference: string
  /** Our id, from its metadata; null where it has none. */
  readonly charge_id: ChargeId | null
  readonly created_at: DateTime.Utc
}

/** One movement of money on an account. */
export interface Movement {
  /** The processor's identifier of the movement. */
  readonly reference: string
  readonly kind: "charge" | "refund" | "dispute" | "transfer" | "other"
  /** The processor's identifier of the charge that it belongs to; null where it belongs to none. */
  readonly charge_reference: string | null
  /** Signed: what came is positive. Before the fee. */
  readonly amount_cents: number
  /** The processor fee. */
  readonly fee_cents: number
  readonly currency: string
  readonly at: DateTime.Utc
}

/** Some of a list, and where the rest begins; null after the last. */
export interface StatementPage<A> {
  readonly data: ReadonlyArray<A>
  readonly next: string | null
}

/** The statement of a processor. money, section 8. */
export interface ProcessorStatements {
  /** The charges that were made since, in no order. `page` is `next` of the page before, null for the first. */
  listCreated(
    integration: Integration,
    since: DateTime.Utc,
    page: string | null
  ): Effect.Effect<StatementPage<CreatedCharge>, ProcessorFailure>
  /** The movements of a day, in UTC. */
  movements(
    integration: Integration,
    day: CalendarDate,
    page: string | null
  ): Effect.Effect<StatementPage<Movement>, ProcessorFailure>
}
