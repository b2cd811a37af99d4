import { DateTime } from "effect"
import * as Rule from "../kernel/Rule.ts"
import { type Attempt, type Delivery, exhaustedRule, interruptionError, receivedRule } from "./Delivery.ts"
import type { WebhookEndpoint } from "./WebhookEndpoint.ts"

/** An endpoint's run of failures without a 2xx: its beginning, and when a delivery last used up its attempts in it. */
export type FailureRun = Pick<WebhookEndpoint, "failing_since" | "exhausted_at">

/** The run after a 2xx: there is none. */
const none: FailureRun = { failing_since: null, exhausted_at: null }

/** A delivery after an attempt; `attempt` is null where none was made. */
export interface AttemptedDelivery {
  readonly delivery: Delivery
  readonly attempt: Attempt | null
}

/**
 * An endpoint's run of failures after one more attempt: a 2xx ends it, any other outcome begins or continues it. An
 * interrupted attempt tells nothing about the endpoint. decisions, section 4: Webhook endpoints.
 */
export const afterAttempt = (run: FailureRun, { attempt, delivery }: AttemptedDelivery): FailureRun => {
  const { exhausted_at, failing_since } = run
  if (attempt === null || attempt.error === interruptionError) return { exhausted_at, failing_since }
  if (Rule.holds(receivedRule, delivery)) return none
  return {
    failing_since: failing_since ?? attempt.attempted_at,
    exhausted_at: Rule.holds(exhaustedRule, delivery) ? delivery.completed_at : exhausted_at
  }
}

const attemptedMillis = ({ attempt }: AttemptedDelivery): number =>
  attempt === null ? 0 : DateTime.toEpochMillis(attempt.attempted_at)

/** Attempts in the order in which they were made; runs of failures are counted in this order. */
export const inOrder = <A extends AttemptedDelivery>(attempts: ReadonlyArray<A>): ReadonlyArray<A> =>
  attempts.toSorted((a, b) => attemptedMillis(a) - attemptedMillis(b))
