import fc from "fast-check"
import { Command, WebhookEndpoint } from "../../domain/outbox/WebhookEndpoint.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { at, instant } from "./Month.ts"

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
  commands: at(arbitraryOf(Command))
}
