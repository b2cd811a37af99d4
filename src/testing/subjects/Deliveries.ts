import { DateTime } from "effect"
import fc from "fast-check"
import { Limits } from "../../domain/kernel/Limits.ts"
import * as ConsumedEvent from "../../domain/outbox/ConsumedEvent.ts"
import { type Command, Delivery, machine } from "../../domain/outbox/Delivery.ts"
import * as WebhookEndpoint from "../../domain/outbox/WebhookEndpoint.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { type ContractSubject, subjectOf } from "../SubjectOf.ts"
import { dayMillis, instant, millis } from "./Month.ts"

/** Things that are tried until they succeed. */
interface Tried {
  readonly status: string
  readonly attempt_count: number
  readonly interruption_count: number
}

/** The waits after the first, second … failed attempt, milliseconds. service-spec, Delivery shape: Retries. */
const waits = [60_000, 5 * 60_000, 30 * 60_000, 3 * 3_600_000, dayMillis]

/** Whether it may be: what is pending has an attempt and an interruption left. */
const isTriable = ({ attempt_count, interruption_count, status }: Tried): boolean =>
  status !== "PENDING" || (attempt_count < Limits.deliveryAttempts && interruption_count < Limits.deliveryInterruptions)

const hasAttemptLeft = ({ attempt_count }: Tried): boolean => attempt_count < 5

const hasInterruptionLeft = ({ interruption_count }: Tried): boolean => interruption_count < 5

/** When it is due after a failed attempt that is not the last. */
const afterFailure = ({ attempt_count }: Tried, { at }: { readonly at: DateTime.Utc }) => ({
  next_attempt_at: DateTime.addDuration(at, waits[attempt_count] ?? 0)
})

/** When it is due after an interruption that is not the last: at once after the first. */
const afterInterruption = ({ interruption_count }: Tried, { at }: { readonly at: DateTime.Utc }) => ({
  next_attempt_at: DateTime.addDuration(at, waits[interruption_count - 1] ?? 0)
})

/** The terms of what is tried until it succeeds. */
const tried = {
  when: {
    Retry: hasAttemptLeft,
    Interrupt: hasInterruptionLeft,
    GiveUp: (given: Tried) => !hasInterruptionLeft(given)
  },
  changes: { Retry: afterFailure, Interrupt: afterInterruption },
  invariants: { "six attempts at most": ({ attempt_count }: Tried) => attempt_count <= 6 }
}

/**
 * Webhook deliveries: due while they are pending, dated once they ended. A pending one has an attempt and an
 * interruption left.
 */
export const deliveries: ContractSubject<Delivery, Command> = subjectOf(machine, {
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
  ...tried,
  when: { ...tried.when, Exhaust: (given) => !hasAttemptLeft(given) }
})

/**
 * Events that a consumer has taken: due while they are pending, dated while they are parked. A pending one has an attempt
 * and an interruption left.
 */
export const consumedEvents: Subject<ConsumedEvent.ConsumedEvent, ConsumedEvent.Command> = subjectOf(
  ConsumedEvent.machine,
  {
    states: arbitraryOf(ConsumedEvent.ConsumedEvent).filter(isTriable),
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
    ...tried,
    when: { ...tried.when, Park: (given) => !hasAttemptLeft(given) }
  }
)

/** Failures for any time, and for five days but for a millisecond, exactly, and a millisecond more. */
const failures = fc.oneof(
  fc.record({ failing_since: fc.option(instant), exhausted_at: fc.option(instant) }),
  fc.record({ failing_since: instant, more: fc.integer({ min: -1, max: 1 }) }).map(({ failing_since, more }) => ({
    failing_since,
    exhausted_at: DateTime.addDuration(failing_since, 5 * dayMillis + more)
  }))
)

/** Webhook endpoints, healthy ones and ones that have failed long enough to be disabled. */
export const webhookEndpoints: Subject<WebhookEndpoint.WebhookEndpoint, WebhookEndpoint.Command> = subjectOf(
  WebhookEndpoint.machine,
  {
    states: fc
      .tuple(arbitraryOf(WebhookEndpoint.WebhookEndpoint), failures)
      .map(([endpoint, failing]) => ({ ...endpoint, ...failing })),
    stateFields: { created_at: instant },
    // decisions, sections 4 and 5: Webhook endpoint.
    rows: `
    * → ACTIVE
    Disable: ACTIVE → DISABLED; disabled_reason = "disabled_by_owner"
    DisableFailing: ACTIVE → DISABLED ?; disabled_reason = "delivery_failures"
    Enable: DISABLED → ACTIVE; disabled_reason = null, failing_since = null, exhausted_at = null
    Delete: ACTIVE, DISABLED → DELETED; deleted_at = at, is_active = false`,
    when: {
      DisableFailing: ({ exhausted_at, failing_since }) =>
        exhausted_at !== null && failing_since !== null && millis(exhausted_at) - millis(failing_since) >= 5 * dayMillis
    }
  }
)
