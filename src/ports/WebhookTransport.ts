import type { Effect } from "effect"
import { Context } from "effect"
import type { AddressRules } from "../domain/WebhookAddress.ts"

/** One HTTP exchange to make: everything is decided, nothing is left to the transport but to carry it out. */
export interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The raw bytes that were signed, as text. */
  readonly body: string
  /** What the endpoint's organisation may be called at; checked again at every exchange. */
  readonly rules: AddressRules
}

/** What came of an exchange. It never fails: a refused address or a broken connection is an outcome, too. */
export interface WebhookOutcome {
  /** The HTTP status of the answer, null when none came. */
  readonly response_status: number | null
  /** The first bytes of the answer as text, at most {@link Limits.attemptExcerptBytes}. Untrusted. */
  readonly response_excerpt: string | null
  /** The answer's `Retry-After`, recorded and not obeyed. */
  readonly retry_after: string | null
  /** Why there was no answer: `timeout`, `address_refused`, `connection_failed`, `tls_failed`, `dns_failed`. */
  readonly error: string | null
  /** From the start of the exchange to its end, milliseconds. */
  readonly duration_ms: number
}

/** Carries signed deliveries to receivers. */
export class WebhookTransport extends Context.Service<
  WebhookTransport,
  {
    /**
     * POSTs the body. MUST resolve the host anew and connect only to an address that the rules allow, MUST NOT follow a
     * redirect, MUST end within {@link Limits.webhookTimeoutMillis} over the whole exchange (connect, headers and body),
     * and MUST NOT fail: whatever happens is an outcome.
     */
    post(request: WebhookRequest): Effect.Effect<WebhookOutcome>
  }
>()("almoner/ports/WebhookTransport") {}
