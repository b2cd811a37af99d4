import type { Effect } from "effect"
import { Context } from "effect"

/** The unit of work: what runs inside commits together or not at all. */
export class Transaction extends Context.Service<
  Transaction,
  {
    /**
     * MUST commit all writes of the effect when it succeeds and none when it fails, dies or is interrupted. Inside another
     * transaction it MUST be a savepoint: a failure undoes its own writes only.
     */
    run<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
    /** MUST run the effect once the outermost transaction has committed, and never when it was rolled back. */
    afterCommit(effect: Effect.Effect<void>): Effect.Effect<void>
  }
>()("almoner/ports/Transaction") {}
