import type { DateTime } from "effect"
import fc from "fast-check"
import { Command, Delivery } from "../../domain/outbox/Delivery.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { failedOnce, hasAttemptLeft, hasInterruptionLeft, interruptedOnce, isTriable } from "./Attempts.ts"
import { at, instant } from "./Month.ts"

const over = (at: DateTime.Utc) => ({ next_attempt_at: null, completed_at: at, updated_at: at })

/**
 * Webhook deliveries: due while they are pending, dated once they ended. A pending one has an attempt and an
 * interruption left.
 */
export const deliveries: Subject<Delivery, Command> = {
  schema: Delivery,
  states: fc
    .tuple(arbitraryOf(Delivery), instant, instant)
    .filter(([tried]) => isTriable(tried))
    .map(([delivery, created_at, ended_at]) => ({
      ...delivery,
      created_at,
      next_attempt_at: delivery.status === "PENDING" ? created_at : null,
      completed_at: delivery.status === "PENDING" ? null : ended_at
    })),
  commands: at(arbitraryOf(Command)),
  // service-spec, Delivery shape: Retries; decisions, section 5: Webhook delivery.
  expect: {
    Deliver: {
      from: ["PENDING"],
      to: "DELIVERED",
      changes: ({ attempt_count }, { at }) => ({ attempt_count: attempt_count + 1, ...over(at) })
    },
    Retry: {
      from: ["PENDING"],
      to: "PENDING",
      when: hasAttemptLeft,
      changes: (before, { at }) => failedOnce(before, at)
    },
    Exhaust: {
      from: ["PENDING"],
      to: "FAILED",
      when: (before) => !hasAttemptLeft(before),
      changes: ({ attempt_count }, { at }) => ({ attempt_count: attempt_count + 1, ...over(at) })
    },
    Interrupt: {
      from: ["PENDING"],
      to: "PENDING",
      when: hasInterruptionLeft,
      changes: (before, { at }) => interruptedOnce(before, at)
    },
    GiveUp: {
      from: ["PENDING"],
      to: "FAILED",
      when: (before) => !hasInterruptionLeft(before),
      changes: ({ interruption_count }, { at }) => ({ interruption_count: interruption_count + 1, ...over(at) })
    },
    Abandon: { from: ["PENDING"], to: "FAILED", changes: (_, { at }) => over(at) }
  },
  invariants: {
    "six attempts at most": ({ attempt_count }) => attempt_count <= 6,
    "only a delivery that is pending is due": ({ next_attempt_at, status }) =>
      (status === "PENDING") === (next_attempt_at !== null)
  },
  steps: { "no delivery emits an event": ({ events }) => events.length === 0 }
}
