import fc from "fast-check"
import { type Command, machine, type WebhookEndpoint } from "../../domain/outbox/WebhookEndpoint.ts"
import type { Subject } from "../Laws.ts"
import { subjectOf } from "../SubjectOf.ts"
import { dayMillis, instant, millis } from "./Month.ts"

/** Webhook endpoints, healthy ones and ones that have failed long enough to be disabled. */
export const webhookEndpoints: Subject<WebhookEndpoint, Command> = subjectOf(machine, {
  stateFields: { failing_since: fc.option(instant), exhausted_at: fc.option(instant), created_at: instant },
  // decisions, sections 4 and 5: Webhook endpoint.
  rows: `
    * → ACTIVE
    Disable: ACTIVE → DISABLED; disabled_reason = "disabled_by_owner"
    DisableFailing: ACTIVE → DISABLED ?; disabled_reason = "delivery_failures"
    Enable: DISABLED → ACTIVE; disabled_reason = null, failing_since = null, exhausted_at = null
    Delete: ACTIVE, DISABLED → DELETED; deleted_at = at`,
  when: {
    DisableFailing: ({ exhausted_at, failing_since }, { at }) =>
      exhausted_at !== null && failing_since !== null && millis(at) - millis(failing_since) >= 5 * dayMillis
  }
})
