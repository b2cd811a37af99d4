import { Cause, Effect } from "effect"
import { loggedCause } from "../../ports/kernel/LoggedCause.ts"
import { ProcessorUnreachable } from "../../ports/payments/PaymentProcessors.ts"

/**
 * Broken machinery says nothing of what happened: a defect is logged, as a cause so that what is logged of it holds no values,
 * and the processor was not reached.
 */
export const guardDefects =
  (said: string) =>
  <A, E, R>(request: Effect.Effect<A, E, R>): Effect.Effect<A, E | ProcessorUnreachable, R> =>
    request.pipe(
      Effect.tapDefect((defect) => Effect.logError(said, loggedCause(Cause.die(defect)))),
      Effect.catchDefect(() => Effect.fail(new ProcessorUnreachable({ reason: "internal_error" })))
    )
