import fc from "fast-check"
import { Command, WebhookEndpoint } from "../../domain/outbox/WebhookEndpoint.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { at, dayMillis, instant, millis } from "./Month.ts"

/** Webhook endpoints, healthy ones and ones that have failed long enough to be disabled. */
export const webhookEndpoints: Subject<WebhookEndpoint, Command> = {
  schema: WebhookEndpoint,
  states: fc
    .tuple(arbitraryOf(WebhookEndpoint), fc.option(instant), fc.option(instant), instant)
    .map(([endpoint, failing_since, exhausted_at, created_at]) => ({
      ...endpoint,
      failing_since,
      exhausted_at,
      created_at
    })),
  commands: at(arbitraryOf(Command)),
  // decisions, sections 4 and 5: Webhook endpoint.
  expect: {
    Disable: {
      from: ["ACTIVE"],
      to: "DISABLED",
      changes: (_, { at }) => ({ disabled_reason: "disabled_by_owner", updated_at: at })
    },
    DisableFailing: {
      from: ["ACTIVE"],
      to: "DISABLED",
      when: ({ exhausted_at, failing_since }, { at }) =>
        exhausted_at !== null && failing_since !== null && millis(at) - millis(failing_since) >= 5 * dayMillis,
      changes: (_, { at }) => ({ disabled_reason: "delivery_failures", updated_at: at })
    },
    Enable: {
      from: ["DISABLED"],
      to: "ACTIVE",
      changes: (_, { at }) => ({ disabled_reason: null, failing_since: null, exhausted_at: null, updated_at: at })
    },
    Delete: {
      from: ["ACTIVE", "DISABLED"],
      to: "DELETED",
      changes: (_, { at }) => ({ deleted_at: at, updated_at: at })
    }
  },
  steps: {
    "an endpoint that works again starts with a clean record": ({ after, command }) =>
      command._tag !== "Enable" || (after.failing_since === null && after.disabled_reason === null)
  }
}
