import type { DateTime, Effect } from "effect"
import { Context } from "effect"
import type { AuditEntry } from "../../domain/access/Audit.ts"
import type { IdempotencyScope, StoredAnswer } from "../../domain/access/Idempotency.ts"
import type { Organisation } from "../../domain/access/Organisation.ts"
import type { Donation } from "../../domain/giving/Donation.ts"
import type { Event } from "../../domain/outbox/Event.ts"

/**
 * A keyed gift that is completely decided: everything that recording it writes, and the organisation that the decision
 * assumed.
 */
export interface KeyedGift {
  readonly scope: IdempotencyScope
  readonly body_hash: string
  readonly answer: StoredAnswer
  readonly donation: Donation
  readonly events: ReadonlyArray<Event>
  readonly audit: AuditEntry
  /** The organisation as it was when the gift was decided. */
  readonly organisation: Organisation
  readonly now: DateTime.Utc
}

/**
 * The fast path of a keyed gift: one statement instead of a transaction of many. What it writes is what the slow path
 * (reserve, check, insert, append, keep) writes; whatever is unusual it leaves to the slow path.
 */
export class DonationIntake extends Context.Service<
  DonationIntake,
  {
    /**
     * Writes the gift, its events, their deliveries, the audit entry and the stored answer together, or nothing.
     *
     * MUST answer `false` and write nothing when the key has a record (live or not), when the donor is unknown or archived,
     * when the organisation's timezone or currency is not the one given, or when anything else keeps it from writing all.
     * MUST answer `"in_flight"` at once while another request holds the key.
     */
    record(gift: KeyedGift): Effect.Effect<boolean | "in_flight">
  }
>()("almoner/ports/DonationIntake") {}
