import { type DateTime, Effect, Result } from "effect"
import { Limits } from "../../../domain/kernel/Limits.ts"
import * as Machine from "../../../domain/kernel/Machine.ts"
import { replaceUnstorable } from "../../../domain/kernel/Text.ts"
import * as Delivery from "../../../domain/outbox/Delivery.ts"
import type { AttemptResult, ClaimedDelivery, ExpiredLease } from "../../../ports/outbox/DeliveryStore.ts"
import { monotonicMillis } from "../../kernel/time/Monotonic.ts"
import { makeWebhookSender, type SendOutcome, withoutAnswer } from "./WebhookSender.ts"

const decide = (delivery: Delivery.Delivery, command: Delivery.Command): Delivery.Delivery =>
  Result.getOrThrow(Machine.decide(Delivery.machine, delivery, command)).state

const kept = (text: string | null): string | null =>
  text === null ? null : replaceUnstorable(text.slice(0, Limits.attemptExcerptBytes))

/** The longest time that stores keep of an attempt, milliseconds: 24 days. */
const longestMillis = 2 ** 31 - 1

/**
 * What a transport found, as every store can keep it. A host's own may tell a time in fractions, or one that is none, and cut a
 * text within a character or nowhere; an outcome that a store refuses would be an exchange that nobody knows of, and be made
 * again.
 */
const storable = ({
  duration_ms,
  error,
  response_excerpt,
  response_status,
  retry_after
}: SendOutcome): SendOutcome => ({
  response_status,
  response_excerpt: kept(response_excerpt),
  retry_after: kept(retry_after),
  error: kept(error),
  duration_ms: duration_ms === null ? null : Math.round(Math.min(longestMillis, Math.max(0, duration_ms)))
})

const settled = (
  { delivery, lease_id }: Pick<ExpiredLease, "delivery" | "lease_id">,
  finding: SendOutcome,
  started: DateTime.Utc,
  ended: DateTime.Utc
): AttemptResult => ({
  // The wait for the next attempt begins where this one ended, so that none is early.
  delivery: decide(delivery, Delivery.settlement(delivery, finding, ended)),
  lease_id,
  attempt: {
    number: Delivery.nextNumber(delivery),
    attempted_at: started,
    ...storable(finding)
  }
})

/** The outcome of an attempt whose worker went away: it is counted apart. */
export const interruptedAt = (expired: ExpiredLease): AttemptResult =>
  settled(expired, withoutAnswer(Delivery.interruptionError), expired.at, expired.at)

const abandonedAt = ({ delivery, lease_id }: ClaimedDelivery, at: DateTime.Utc): AttemptResult => ({
  delivery: decide(delivery, { _tag: "Abandon", at }),
  lease_id,
  attempt: null
})

/** Nothing was sent: the delivery goes back as it was, and nothing is counted. */
const handedBack = ({ delivery, lease_id }: ClaimedDelivery): AttemptResult => ({ delivery, lease_id, attempt: null })

const canEndWithin = (passedMillis: number): boolean =>
  passedMillis + Limits.webhookTimeoutMillis < Limits.deliveryLeaseSeconds * 1_000

/** Makes attempts: signs, sends, and says what the delivery is afterwards. */
export const makeDeliveryExecutor = Effect.gen(function* () {
  const { secretsOf, send } = yield* makeWebhookSender

  /**
   * One attempt of a delivery, by the store's time. `passed` says how much of its lease is over, milliseconds: when the
   * exchange could outlast it and meet another worker's, nothing is sent. Nor is it when the endpoint was disabled or
   * deleted since.
   */
  return Effect.fnUntraced(function* (
    claimed: ClaimedDelivery,
    { passed, storeTime }: { readonly passed: Effect.Effect<number>; readonly storeTime: () => DateTime.Utc }
  ) {
    const started = storeTime()
    const { endpoint } = claimed
    if (!endpoint.is_active || endpoint.deleted_at !== null) return abandonedAt(claimed, started)
    const secrets = yield* secretsOf(endpoint, started)
    if (secrets.length === 0) return settled(claimed, withoutAnswer("secret_unavailable"), started, started)
    // The deadline counts from before the lease is read: whatever stops the process after that is part of it.
    const begun_millis = yield* monotonicMillis
    if (!canEndWithin(yield* passed)) return handedBack(claimed)
    const outcome = yield* send({ ...claimed, webhook_id: claimed.delivery.id }, secrets, { at: started, begun_millis })
    return settled(claimed, outcome, started, storeTime())
  })
})
