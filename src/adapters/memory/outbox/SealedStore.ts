import { DateTime, HashMap, Result } from "effect"
import * as Idempotency from "../../../domain/access/Idempotency.ts"
import * as Integration from "../../../domain/access/Integration.ts"
import { countedAs, type KeyUsage, keyIdOf, zeroUsage } from "../../../domain/access/KeyUsage.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import * as WebhookEndpoint from "../../../domain/outbox/WebhookEndpoint.ts"
import * as Introduction from "../../../domain/sharing/Introduction.ts"
import { type SealedSecret, SealedStore } from "../../../ports/access/SealedStore.ts"
import { type Change, storeOf } from "../Memory.ts"
import { every, put, type State, type Table } from "../State.ts"

const kept = (state: State): ReadonlyArray<WebhookEndpoint.WebhookEndpoint> =>
  every(state.webhookEndpoints).filter((endpoint) => Rule.holds(WebhookEndpoint.undeletedRule, endpoint))

const secretsOf = (endpoint: WebhookEndpoint.WebhookEndpoint, now: DateTime.Utc): ReadonlyArray<SealedSecret> => {
  const { id, organisation_id, sealed_secret: sealed } = endpoint
  const former = WebhookEndpoint.formerSecrets(endpoint, now)
  const present: SealedSecret = { kind: "webhook_secret", organisation_id, id, sealed }
  return former === null ? [present] : [present, { ...present, kind: "previous_webhook_secret", sealed: former.sealed }]
}

/** The scope begins with its organisation. */
const ownerOf = (scope: string): string => String(JSON.parse(scope)[0])

const answersAt = (state: State, now: DateTime.Utc): ReadonlyArray<SealedSecret> =>
  Array.from(state.answers).flatMap(([id, { answer, created_at }]): ReadonlyArray<SealedSecret> => {
    if (answer === null || !("sealed" in answer.body)) return []
    return Idempotency.isLive({ created_at }, now)
      ? [{ kind: "stored_answer", organisation_id: ownerOf(id), id, sealed: answer.body.sealed }]
      : []
  })

const tokensIn = (state: State): ReadonlyArray<SealedSecret> =>
  every(state.charges).flatMap(
    ({ id, organisation_id, sealed_token: sealed }): ReadonlyArray<SealedSecret> =>
      sealed === null ? [] : [{ kind: "payment_token", organisation_id, id, sealed }]
  )

const credentialsIn = (state: State, now: DateTime.Utc): ReadonlyArray<SealedSecret> =>
  every(state.integrations).flatMap((integration): ReadonlyArray<SealedSecret> => {
    const { id, organisation_id, previous_sealed_notice_secrets: previous, sealed_credentials: sealed } = integration
    const own = { organisation_id, id }
    const isOverlapping = Rule.holdsAt(Integration.overlapRule, integration, now)
    return [
      ...(sealed === null ? [] : [{ ...own, kind: "integration_credentials", sealed } as const]),
      ...(previous === null || !isOverlapping
        ? []
        : [{ ...own, kind: "previous_notice_secrets", sealed: previous } as const])
    ]
  })

const sealedAt = (state: State, now: DateTime.Utc): ReadonlyArray<SealedSecret> => [
  ...kept(state).flatMap((endpoint) => secretsOf(endpoint, now)),
  ...answersAt(state, now),
  ...tokensIn(state),
  ...credentialsIn(state, now)
]

const placeOf = ({ id, kind, organisation_id }: SealedSecret): string => JSON.stringify([kind, organisation_id, id])

const usageAt = (state: State, now: DateTime.Utc): ReadonlyArray<KeyUsage> => {
  const found = new Map<string, KeyUsage>()
  const count = (key_id: string, what: Exclude<keyof KeyUsage, "key_id">): void => {
    const usage = found.get(key_id) ?? { ...zeroUsage, key_id }
    found.set(key_id, { ...usage, [what]: usage[what] + 1 })
  }
  for (const { kind, sealed } of sealedAt(state, now)) {
    count(keyIdOf(sealed), countedAs[kind])
  }
  for (const introduction of every(state.introductions)) {
    if (Rule.holdsAt(Introduction.open, introduction, now)) count(introduction.token_key_id, "introductions")
  }
  for (const { passphrase_key_id } of every(state.integrations)) {
    if (passphrase_key_id !== null) count(passphrase_key_id, "passphrases")
  }
  return [...found.values()].toSorted((a, b) => (a.key_id < b.key_id ? -1 : 1))
}

interface Sampled extends SealedSecret {
  readonly updated_at: DateTime.Utc
}

const sampledIn = (state: State): ReadonlyArray<Sampled> => [
  ...kept(state).map(
    ({ sealed_secret: sealed, ...endpoint }): Sampled => ({ ...endpoint, kind: "webhook_secret", sealed })
  ),
  ...every(state.integrations).flatMap(
    ({ sealed_credentials: sealed, ...integration }): ReadonlyArray<Sampled> =>
      sealed === null ? [] : [{ ...integration, kind: "integration_credentials", sealed }]
  )
]

const samplesIn = (state: State, limit: number): ReadonlyArray<SealedSecret> => {
  const counts = new Map<string, number>()
  return sampledIn(state)
    .toSorted((a, b) => DateTime.Order(b.updated_at, a.updated_at))
    .flatMap(({ id, kind, organisation_id, sealed }): ReadonlyArray<SealedSecret> => {
      const count = (counts.get(keyIdOf(sealed)) ?? 0) + 1
      counts.set(keyIdOf(sealed), count)
      return count <= limit ? [{ kind, organisation_id, id, sealed }] : []
    })
}

const withAnswer = (state: State, { id, sealed: before }: SealedSecret, sealed: string): State | undefined => {
  const found = HashMap.get(state.answers, id)
  if (found._tag === "None") return undefined
  const { answer } = found.value
  if (answer === null || !("sealed" in answer.body) || answer.body.sealed !== before) return undefined
  const record = { ...found.value, answer: { ...answer, body: { sealed } } }
  return { ...state, answers: HashMap.set(state.answers, id, record) }
}

interface Keeper {
  readonly id: string
  readonly organisation_id: string
}

/** A table with a secret of one of these records replaced; none where it is another by now. */
const rewritten = <K extends string, A extends Keeper & Readonly<Record<K, string | null>>>(
  table: Table<A>,
  among: ReadonlyArray<A>,
  { id, organisation_id, sealed: before }: SealedSecret,
  field: K,
  sealed: string
): Table<A> | undefined => {
  const found = among.find((each) => each.id === id && each.organisation_id === organisation_id)
  return found === undefined || found[field] !== before
    ? undefined
    : put(table, organisation_id, id, { ...found, [field]: sealed })
}

const withEndpoint = (state: State, secret: SealedSecret, sealed: string): State | undefined => {
  const field = secret.kind === "webhook_secret" ? "sealed_secret" : "previous_sealed_secret"
  const webhookEndpoints = rewritten(state.webhookEndpoints, kept(state), secret, field, sealed)
  return webhookEndpoints && { ...state, webhookEndpoints }
}

const withCredentials = (state: State, secret: SealedSecret, sealed: string): State | undefined => {
  const field = secret.kind === "integration_credentials" ? "sealed_credentials" : "previous_sealed_notice_secrets"
  const integrations = rewritten(state.integrations, every(state.integrations), secret, field, sealed)
  return integrations && { ...state, integrations }
}

const withToken = (state: State, secret: SealedSecret, sealed: string): State | undefined => {
  const charges = rewritten(state.charges, every(state.charges), secret, "sealed_token", sealed)
  return charges && { ...state, charges }
}

const writing = {
  integration_credentials: withCredentials,
  payment_token: withToken,
  previous_notice_secrets: withCredentials,
  previous_webhook_secret: withEndpoint,
  stored_answer: withAnswer,
  webhook_secret: withEndpoint
}

const replaced = (state: State, secret: SealedSecret, sealed: string): Change<boolean, never> => {
  const next = writing[secret.kind](state, secret, sealed)
  return Result.succeed([next !== undefined, next ?? state])
}

export const layer = storeOf(SealedStore, (memory) => ({
  usage: (now) => memory.read((state) => usageAt(state, now)),
  samples: (limit) => memory.read((state) => samplesIn(state, limit)),
  sealedWith: (key_ids, now, after, limit) =>
    memory.read((state) =>
      sealedAt(state, now)
        .filter(({ sealed }) => key_ids.includes(keyIdOf(sealed)))
        .filter((secret) => after === null || placeOf(secret) > placeOf(after))
        .toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
        .slice(0, limit)
    ),
  replace: (secret, sealed) => memory.decide((state) => replaced(state, secret, sealed))
}))
