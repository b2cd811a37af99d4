import fc from "fast-check"
import { Command, ConsumedEvent } from "../../domain/outbox/ConsumedEvent.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { failedOnce, hasAttemptLeft, hasInterruptionLeft, interruptedOnce, isTriable } from "./Attempts.ts"
import { at, instant } from "./Month.ts"

const waiting = ["PENDING", "PARKED"]

/**
 * Events that a consumer has taken: due while they are pending, dated while they are parked. A pending one has an attempt
 * and an interruption left.
 */
export const consumedEvents: Subject<ConsumedEvent, Command> = {
  schema: ConsumedEvent,
  states: fc
    .tuple(arbitraryOf(ConsumedEvent), instant, instant)
    .filter(([tried]) => isTriable(tried))
    .map(([event, created_at, parked_at]) => ({
      ...event,
      created_at,
      next_attempt_at: event.status === "PENDING" ? created_at : null,
      parked_at: event.status === "PARKED" ? parked_at : null
    })),
  commands: at(arbitraryOf(Command)),
  // docs/guides/events.md, decisions/0052.
  expect: {
    Handle: {
      from: ["PENDING"],
      to: "HANDLED",
      changes: ({ attempt_count }, { at }) => ({
        attempt_count: attempt_count + 1,
        next_attempt_at: null,
        parked_at: null,
        error: null,
        updated_at: at
      })
    },
    Retry: {
      from: ["PENDING"],
      to: "PENDING",
      when: hasAttemptLeft,
      changes: (before, { at, error }) => ({ ...failedOnce(before, at), error })
    },
    Park: {
      from: ["PENDING"],
      to: "PARKED",
      when: (before) => !hasAttemptLeft(before),
      changes: ({ attempt_count }, { at, error }) => ({
        attempt_count: attempt_count + 1,
        next_attempt_at: null,
        parked_at: at,
        error,
        updated_at: at
      })
    },
    Interrupt: {
      from: ["PENDING"],
      to: "PENDING",
      when: hasInterruptionLeft,
      changes: (before, { at }) => interruptedOnce(before, at)
    },
    GiveUp: {
      from: ["PENDING"],
      to: "PARKED",
      when: (before) => !hasInterruptionLeft(before),
      changes: ({ interruption_count }, { at }) => ({
        interruption_count: interruption_count + 1,
        next_attempt_at: null,
        parked_at: at,
        updated_at: at
      })
    },
    Resume: {
      from: waiting,
      to: "PENDING",
      changes: (_, { at }) => ({
        attempt_count: 0,
        interruption_count: 0,
        next_attempt_at: at,
        parked_at: null,
        updated_at: at
      })
    },
    Skip: {
      from: waiting,
      to: "SKIPPED",
      changes: (_, { at }) => ({ next_attempt_at: null, parked_at: null, updated_at: at })
    }
  },
  invariants: {
    "six attempts at most": ({ attempt_count }) => attempt_count <= 6,
    "only an event that is pending is due": ({ next_attempt_at, status }) =>
      (status === "PENDING") === (next_attempt_at !== null),
    "only a parked event says since when": ({ parked_at, status }) => (status === "PARKED") === (parked_at !== null)
  },
  steps: { "no event of a consumer emits another": ({ events }) => events.length === 0 }
}
