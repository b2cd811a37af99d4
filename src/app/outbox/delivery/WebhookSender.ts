import { Context, DateTime, Effect, Option } from "effect"
import type { DeliveryId } from "../../../domain/kernel/Ids.ts"
import { formerSecretsIn } from "../../../domain/outbox/SigningSecret.ts"
import { addressRulesOf } from "../../../domain/outbox/WebhookAddress.ts"
import { formerSecrets, type WebhookEndpoint } from "../../../domain/outbox/WebhookEndpoint.ts"
import { OperatorCidrs } from "../../../ports/access/OperatorCidrs.ts"
import { SecretBox } from "../../../ports/kernel/SecretBox.ts"
import { WebhookSigner } from "../../../ports/kernel/Signer.ts"
import { type WebhookOutcome, WebhookTransport } from "../../../ports/outbox/WebhookTransport.ts"

/** The version that deliveries name in their `user-agent`: `Almoner-Webhooks/<version>`. */
export const SenderVersion = Context.Reference<string>("almoner/app/WebhookSender/SenderVersion", {
  defaultValue: () => "0"
})

/** Opened secrets that are remembered; the longest known is forgotten first. */
const openedSecrets = 1_024

/** How a message fared, or that it was not sent: then there is no duration. */
export type SendOutcome = Omit<WebhookOutcome, "duration_ms"> & { readonly duration_ms: number | null }

/** Nothing came back, for a reason that is known before anything is sent, or after a worker went away. */
export const withoutAnswer = (error: string): SendOutcome => ({
  response_status: null,
  response_excerpt: null,
  retry_after: null,
  error,
  duration_ms: null
})

/** One message for one endpoint, and what decides where it may go. */
export interface Message {
  readonly webhook_id: DeliveryId
  /** The exact text that is signed and sent. */
  readonly body: string
  readonly endpoint: WebhookEndpoint
  readonly is_sandbox: boolean
  readonly webhook_allowed_cidrs: ReadonlyArray<string>
}

/** When an exchange begins: the time that is signed, and that of the clock by which its deadline counts, milliseconds. */
export interface ExchangeStart {
  readonly at: DateTime.Utc
  readonly begun_millis: number
}

/** Opens signing secrets, and remembers them while they are in use. */
const makeSecrets = Effect.map(SecretBox, (box) => {
  const opened = new Map<string, string>()

  const remember = (key: string, secret: string): string => {
    opened.set(key, secret)
    for (const oldest of opened.keys()) {
      if (opened.size <= openedSecrets) break
      opened.delete(oldest)
    }
    return secret
  }

  const open = (sealed: string, context: string) =>
    Effect.suspend(() => {
      const key = `${context} ${sealed}`
      const known = opened.get(key)
      return known === undefined
        ? Effect.map(box.open(sealed, context), (secret) => remember(key, secret))
        : Effect.succeed(known)
    })

  /**
   * The secrets that sign at an instant, newest first; none when the present one cannot be opened. Those before it may be lost:
   * to rotate is how an owner recovers from a key that left the ring.
   */
  return Effect.fnUntraced(function* (endpoint: WebhookEndpoint, at: DateTime.Utc) {
    const present = yield* Effect.option(open(endpoint.sealed_secret, endpoint.id))
    if (Option.isNone(present)) return []
    const former = formerSecrets(endpoint, at)
    if (former === null) return [present.value]
    const text = yield* Effect.option(open(former.sealed, endpoint.id))
    const known = Option.isNone(text) ? [] : formerSecretsIn(text.value, former.expires_at, at)
    return [present.value, ...known.map(({ secret }) => secret)]
  })
})

/** The one way in which anything is signed and sent to an endpoint. */
export const makeWebhookSender = Effect.gen(function* () {
  const transport = yield* WebhookTransport
  const signer = yield* WebhookSigner
  const secretsOf = yield* makeSecrets
  const operatorCidrs = yield* OperatorCidrs
  const userAgent = `Almoner-Webhooks/${yield* SenderVersion}`

  const send = (message: Message, secrets: ReadonlyArray<string>, { at, begun_millis }: ExchangeStart) => {
    const { body, endpoint, webhook_id } = message
    const timestamp = Math.floor(DateTime.toEpochMillis(at) / 1_000)
    return transport.post({
      organisation_id: endpoint.organisation_id,
      url: endpoint.url,
      headers: {
        "webhook-id": webhook_id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": signer.sign(secrets, webhook_id, timestamp, body),
        "content-type": "application/json",
        "user-agent": userAgent
      },
      body,
      rules: addressRulesOf(message, operatorCidrs),
      begun_millis
    })
  }

  return { secretsOf, send } as const
})
