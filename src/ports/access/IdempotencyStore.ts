import type { DateTime, Duration, Effect } from "effect"
import { Context } from "effect"
import type { IdempotencyScope, Reservation, StoredAnswer } from "../../domain/access/Idempotency.ts"

/** Keys in flight and the answers to repeat. */
export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    /**
     * Reserves a key until the surrounding {@link Transaction} ends, however it ends. MUST answer `InFlight` at once, and
     * never wait, while another transaction holds the key; otherwise as `Idempotency.decide` says of
     * the stored record. A body has a hash for each key of the ring: it MUST be known by any of them.
     */
    reserve(scope: IdempotencyScope, body_hashes: ReadonlyArray<string>, now: DateTime.Utc): Effect.Effect<Reservation>
    /**
     * Stores the answer in the surrounding transaction, instead of any older record. An answer that is too large MUST be
     * kept as a mark that the key was used. A `secret` answer MUST be sealed at rest.
     */
    keep(
      scope: IdempotencyScope,
      body_hash: string,
      answer: StoredAnswer,
      options: { readonly secret: boolean; readonly now: DateTime.Utc }
    ): Effect.Effect<void>
    /**
     * Holds a key for a request of which a part runs in no transaction: from `now` until it is released, or for as long as
     * `lease` where its process died. It is committed at once. MUST answer false, and wait for nobody's release, while another
     * request holds the key.
     */
    hold(scope: IdempotencyScope, holder: string, now: DateTime.Utc, lease: Duration.Duration): Effect.Effect<boolean>
    /** Ends the hold of a holder. MUST leave that of another. */
    release(scope: IdempotencyScope, holder: string): Effect.Effect<void>
    /**
     * Deletes the records of all organisations' keys whose `created_at` is `before` or earlier, the oldest first, at most
     * `limit`, and returns how many. MUST forget nothing that was kept later, a key's newer answer included.
     */
    forget(before: DateTime.Utc, limit: number): Effect.Effect<number>
  }
>()("almoner/ports/IdempotencyStore") {}
