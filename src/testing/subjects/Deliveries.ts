import { type Command, Delivery, machine } from "../../domain/outbox/Delivery.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { subjectOf } from "../SubjectOf.ts"
import { afterFailure, afterInterruption, hasAttemptLeft, hasInterruptionLeft, isTriable } from "./Attempts.ts"
import { instant } from "./Month.ts"

/**
 * Webhook deliveries: due while they are pending, dated once they ended. A pending one has an attempt and an
 * interruption left.
 */
export const deliveries: Subject<Delivery, Command> = subjectOf(machine, {
  states: arbitraryOf(Delivery).filter(isTriable),
  stateFields: { created_at: instant, next_attempt_at: instant, completed_at: instant },
  // service-spec, Delivery shape: Retries; decisions, section 5: Webhook delivery.
  rows: `
    * → PENDING
    * → PENDING
    Deliver: PENDING → DELIVERED; attempt_count + 1, next_attempt_at = null, completed_at = at
    Retry: PENDING → PENDING ?; attempt_count + 1, *
    Exhaust: PENDING → FAILED ?; attempt_count + 1, next_attempt_at = null, completed_at = at
    Interrupt: PENDING → PENDING ?; interruption_count + 1, *
    GiveUp: PENDING → FAILED ?; interruption_count + 1, next_attempt_at = null, completed_at = at
    Abandon: PENDING → FAILED; next_attempt_at = null, completed_at = at
    next_attempt_at: PENDING
    completed_at: DELIVERED, FAILED`,
  when: {
    Retry: hasAttemptLeft,
    Exhaust: (delivery) => !hasAttemptLeft(delivery),
    Interrupt: hasInterruptionLeft,
    GiveUp: (delivery) => !hasInterruptionLeft(delivery)
  },
  changes: { Retry: afterFailure, Interrupt: afterInterruption },
  invariants: { "six attempts at most": ({ attempt_count }) => attempt_count <= 6 }
})
