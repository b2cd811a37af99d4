import type { Effect } from "effect"
import { Context } from "effect"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import type { AddressRules } from "../../domain/outbox/WebhookAddress.ts"

/** One HTTP exchange to make: everything is decided, nothing is left to the transport but to carry it out. */
export interface WebhookRequest {
  /** Whose delivery it is: what an exchange waits for is shared fairly among organisations. */
  readonly organisation_id: OrganisationId
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The raw bytes that were signed, as text. */
  readonly body: string
  /** The addresses at which the endpoint's organisation may be called; checked again at every exchange. */
  readonly rules: AddressRules
  /**
   * When the exchange began, milliseconds of the monotonic time of Effect's `Clock`, on Node that of `process.hrtime`: its
   * deadline counts from then, however late it is handed over.
   */
  readonly begun_millis: number
}

/** How an exchange ended. It never fails: a refused address or a broken connection is an outcome, too. */
export interface WebhookOutcome {
  /** The HTTP status of the answer, null when its headers did not come. */
  readonly response_status: number | null
  /** The first bytes of the answer as text, at most {@link Limits.attemptExcerptBytes}. Untrusted. */
  readonly response_excerpt: string | null
  /** The answer's `Retry-After`, recorded and not obeyed. */
  readonly retry_after: string | null
  /**
   * Null when an answer's headers came, whatever became of its body. Else why there was none: `timeout`;
   * `address_refused`, the URL as it is written may not be called; `dns_failed`, its name leads to no address that may be
   * called; `connection_failed`; `tls_failed`.
   */
  readonly error: string | null
  /** From the start of the exchange to its end, milliseconds. */
  readonly duration_ms: number
}

/** Carries signed deliveries to receivers. */
export class WebhookTransport extends Context.Service<
  WebhookTransport,
  {
    /**
     * POSTs the body, once. MUST judge every address of the host for each exchange, by answers that are no older than their
     * time to live and than {@link Limits.webhookNameSeconds}, and connect only to an address that the rules allow. MUST NOT
     * tell whether a name has no address or a refused one. MUST NOT send the request again once it was written, whatever
     * becomes of the connection. MUST NOT write it once {@link Limits.webhookTimeoutMillis} have passed since its
     * `begun_millis`: a process that was stopped meanwhile would send what another worker has sent. MUST NOT follow a redirect. MUST tell the status of an answer whose headers came, and no
     * error, whatever becomes of its body, which is read for the excerpt until the deadline. MUST end within
     * {@link Limits.webhookTimeoutMillis} over the whole exchange (look-up, connect, headers and body). MUST NOT fail:
     * whatever happens is an outcome.
     */
    post(request: WebhookRequest): Effect.Effect<WebhookOutcome>
  }
>()("almoner/ports/WebhookTransport") {}
