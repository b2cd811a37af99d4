import { Context, type Effect, Schema } from "effect"

/**
 * The defect of a unit of work that waited too long for something that other work holds: nothing was written, and it
 * may be tried again.
 */
export class LockTimeout extends Schema.TaggedError<LockTimeout>()("Contended", {}) {
  override get message(): string {
    return "Another change holds what this one needs. Nothing was written; try again in a moment."
  }
}

/**
 * Whether a unit of work may be begun anew whatever it came to, since all that it does to the world outside follows its commit,
 * such as the work under an Idempotency-Key. A store may then hold what such a unit reads only when it writes. It MUST be as if all had been held from the reading on: when another change came in between, nothing is
 * written, and the unit runs again from its beginning.
 */
export const Repeatable = Context.Reference<boolean>("almoner/ports/Repeatable", { defaultValue: () => false })

/** The unit of work: what runs inside commits together or not at all. */
export class Transaction extends Context.Service<
  Transaction,
  {
    /**
     * MUST commit all writes of the effect when it succeeds and none when it fails, dies or is interrupted. Inside another
     * transaction it MUST be a savepoint: a failure undoes its own writes only. It may die with {@link LockTimeout}.
     */
    run<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
    /** MUST run the effect once the outermost transaction has committed, and never when it was rolled back. */
    afterCommit(effect: Effect.Effect<void>): Effect.Effect<void>
  }
>()("almoner/ports/Transaction") {}
