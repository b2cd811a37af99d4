import { type Command, ConsumedEvent, machine } from "../../domain/outbox/ConsumedEvent.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { subjectOf } from "../SubjectOf.ts"
import { afterFailure, afterInterruption, hasAttemptLeft, hasInterruptionLeft, isTriable } from "./Attempts.ts"
import { instant } from "./Month.ts"

/**
 * Events that a consumer has taken: due while they are pending, dated while they are parked. A pending one has an attempt
 * and an interruption left.
 */
export const consumedEvents: Subject<ConsumedEvent, Command> = subjectOf(machine, {
  states: arbitraryOf(ConsumedEvent).filter(isTriable),
  stateFields: { created_at: instant, next_attempt_at: instant, parked_at: instant },
  // docs/guides/events.md, decisions/0052.
  rows: `
    * → PENDING
    Handle: PENDING → HANDLED; attempt_count + 1, next_attempt_at = null, parked_at = null, error = null
    Retry: PENDING → PENDING ?; attempt_count + 1, error, *
    Park: PENDING → PARKED ?; attempt_count + 1, next_attempt_at = null, parked_at = at, error
    Interrupt: PENDING → PENDING ?; interruption_count + 1, *
    GiveUp: PENDING → PARKED ?; interruption_count + 1, next_attempt_at = null, parked_at = at
    Resume: PENDING, PARKED → PENDING; attempt_count = 0, interruption_count = 0, next_attempt_at = at, parked_at = null
    Skip: PENDING, PARKED → SKIPPED; next_attempt_at = null, parked_at = null
    next_attempt_at: PENDING
    parked_at: PARKED`,
  when: {
    Retry: hasAttemptLeft,
    Park: (event) => !hasAttemptLeft(event),
    Interrupt: hasInterruptionLeft,
    GiveUp: (event) => !hasInterruptionLeft(event)
  },
  changes: { Retry: afterFailure, Interrupt: afterInterruption },
  invariants: { "six attempts at most": ({ attempt_count }) => attempt_count <= 6 }
})
