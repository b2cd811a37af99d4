import { Context, DateTime, Effect, Option, Result } from "effect"
import * as Delivery from "../../domain/Delivery.ts"
import { Limits } from "../../domain/Limits.ts"
import * as Machine from "../../domain/Machine.ts"
import { addressRulesOf } from "../../domain/WebhookAddress.ts"
import { signingSecrets, type WebhookEndpoint } from "../../domain/WebhookEndpoint.ts"
import type { Claimed, Expired, Settled } from "../../ports/DeliveryStore.ts"
import { OperatorCidrs } from "../../ports/OperatorCidrs.ts"
import { SecretBox } from "../../ports/SecretBox.ts"
import { WebhookSigner } from "../../ports/Signer.ts"
import { type WebhookOutcome, WebhookTransport } from "../../ports/WebhookTransport.ts"

/** The version that deliveries name in their `user-agent`: `Almoner-Webhooks/<version>`. */
export const SenderVersion = Context.Reference<string>("almoner/app/steps/DeliveryAttempts/SenderVersion", {
  defaultValue: () => "0"
})

/** Opened secrets that are remembered; the longest known is forgotten first. */
const openedSecrets = 1_024

type Finding = Omit<WebhookOutcome, "duration_ms"> & { readonly duration_ms: number | null }

const unanswered = (error: string): Finding => ({
  response_status: null,
  response_excerpt: null,
  retry_after: null,
  error,
  duration_ms: null
})

const decide = (delivery: Delivery.Delivery, command: Delivery.Command): Delivery.Delivery =>
  Result.getOrThrow(Machine.decide(Delivery.machine, delivery, command)).state

const settled = (
  { delivery, lease_id }: Pick<Expired, "delivery" | "lease_id">,
  finding: Finding,
  started: DateTime.Utc,
  ended: DateTime.Utc
): Settled => ({
  // The wait for the next attempt begins where this one ended, so that none is early.
  delivery: decide(delivery, Delivery.settlement(delivery, finding, ended)),
  lease_id,
  attempt: {
    number: Delivery.nextNumber(delivery),
    attempted_at: started,
    response_status: finding.response_status,
    response_excerpt: finding.response_excerpt,
    retry_after: finding.retry_after,
    error: finding.error,
    duration_ms: finding.duration_ms
  }
})

/** The outcome of an attempt whose worker went away: it is counted apart. */
export const interruptedAt = (expired: Expired): Settled =>
  settled(expired, unanswered(Delivery.interrupted), expired.at, expired.at)

const abandonedAt = ({ delivery, lease_id }: Claimed, at: DateTime.Utc): Settled => ({
  delivery: decide(delivery, { _tag: "Abandon", at }),
  lease_id,
  attempt: null
})

/** Nothing was sent: the delivery goes back as it was, and nothing is counted. */
const handedBack = ({ delivery, lease_id }: Claimed): Settled => ({ delivery, lease_id, attempt: null })

const canEndWithin = (passedMillis: number): boolean =>
  passedMillis + Limits.webhookTimeoutMillis < Limits.deliveryLeaseSeconds * 1_000

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
   * What signs at an instant; none when the present secret cannot be opened. The one before it may be lost: to rotate is
   * how an owner recovers from a key that left the ring.
   */
  return Effect.fnUntraced(function* (endpoint: WebhookEndpoint, at: DateTime.Utc) {
    const secrets: Array<string> = []
    for (const sealed of signingSecrets(endpoint, at)) {
      const secret = yield* Effect.option(open(sealed, endpoint.id))
      if (Option.isSome(secret)) secrets.push(secret.value)
      else if (secrets.length === 0) return []
    }
    return secrets
  })
})

/** Makes attempts: signs, sends, and says what the delivery is afterwards. */
export const makeDeliveryAttempts = Effect.gen(function* () {
  const transport = yield* WebhookTransport
  const signer = yield* WebhookSigner
  const secretsOf = yield* makeSecrets
  const operatorCidrs = yield* OperatorCidrs
  const userAgent = `Almoner-Webhooks/${yield* SenderVersion}`

  const requestOf = (claimed: Claimed, secrets: ReadonlyArray<string>, started: DateTime.Utc) => {
    const { body, delivery, endpoint } = claimed
    const timestamp = Math.floor(DateTime.toEpochMillis(started) / 1_000)
    return {
      organisation_id: endpoint.organisation_id,
      url: endpoint.url,
      headers: {
        "webhook-id": delivery.id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": signer.sign(secrets, delivery.id, timestamp, body),
        "content-type": "application/json",
        "user-agent": userAgent
      },
      body,
      rules: addressRulesOf(claimed, operatorCidrs)
    }
  }

  /**
   * One attempt of a delivery, by the store's time. `passed` says how much of its lease is over, milliseconds: when the
   * exchange could outlast it and meet another worker's, nothing is sent. Nor is it when the endpoint was disabled or
   * deleted since.
   */
  return Effect.fnUntraced(function* (
    claimed: Claimed,
    { passed, storeTime }: { readonly passed: Effect.Effect<number>; readonly storeTime: () => DateTime.Utc }
  ) {
    const started = storeTime()
    const { endpoint } = claimed
    if (!endpoint.is_active || endpoint.deleted_at !== null) return abandonedAt(claimed, started)
    const secrets = yield* secretsOf(endpoint, started)
    if (secrets.length === 0) return settled(claimed, unanswered("secret_unavailable"), started, started)
    if (!canEndWithin(yield* passed)) return handedBack(claimed)
    const outcome = yield* transport.post(requestOf(claimed, secrets, started))
    return settled(claimed, outcome, started, storeTime())
  })
})
