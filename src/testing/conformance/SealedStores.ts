import { DateTime, Effect, Option } from "effect"
import fc from "fast-check"
import { keyIdOf } from "../../domain/access/KeyUsage.ts"
import type { WebhookEndpoint } from "../../domain/outbox/WebhookEndpoint.ts"
import { IdempotencyStore } from "../../ports/access/IdempotencyStore.ts"
import { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import { type SealedSecret, SealedStore } from "../../ports/access/SealedStore.ts"
import { WebhookEndpointStore } from "../../ports/outbox/WebhookEndpointStore.ts"
import { ChargeStore } from "../../ports/payments/ChargeStore.ts"
import { assert } from "./Assert.ts"
import { newIntroduction } from "./Introductions.ts"
import { newCharge } from "./MoneyRecords.ts"
import {
  answerOf,
  at,
  endpointOf,
  freshId,
  idsOf,
  integrationOf,
  newOrganisation,
  scopeOf,
  storedIn
} from "./Records.ts"
import { inTransaction, lawsOf, noLimit, runsOf, same, suite, type Thoroughness } from "./Suite.ts"

const { law, must, property } = lawsOf(SealedStore)

const now = at(100)

/** A key that nothing else was made with. */

let texts = 0

const sealedBy = (key_id: string): string => {
  texts += 1
  return `v1.${key_id}.${texts}.text`
}

const newEndpoint = Effect.fnUntraced(function* (given: Partial<WebhookEndpoint>) {
  const { id } = yield* newOrganisation()
  return yield* storedIn(WebhookEndpointStore, endpointOf(id, given))
})

const usageOf = Effect.fnUntraced(function* (key_id: string, when: DateTime.Utc) {
  const usage = yield* (yield* SealedStore).usage(when)
  const { webhook_secrets = 0, introductions = 0, passphrases = 0 } = usage.find((each) => each.key_id === key_id) ?? {}
  return [webhook_secrets, introductions, passphrases]
})

/** Everything that a key sealed, page by page. `meanwhile` runs for each secret before the next page. */
const walk = Effect.fnUntraced(function* <R>(
  key_id: string,
  limit: number,
  meanwhile: (secret: SealedSecret) => Effect.Effect<unknown, never, R>
) {
  const store = yield* SealedStore
  const found: Array<SealedSecret> = []
  for (let after: SealedSecret | null = null; ; ) {
    const page: ReadonlyArray<SealedSecret> = yield* store.sealedWith([key_id], now, after, limit)
    assert.isAtMost(page.length, limit)
    yield* Effect.forEach(page, meanwhile)
    found.push(...page)
    after = page.at(-1) ?? null
    if (after === null) return found
  }
})

const counting = [
  must(
    "what is in use is counted by its key, and nothing else is",
    ["SealedStore.usage MUST leave out what was deleted, and what ended before now."],
    function* () {
      const [old, fresh] = [yield* freshId("request"), yield* freshId("request")]
      yield* newEndpoint({ sealed_secret: sealedBy(old), is_active: false })
      yield* newEndpoint({ sealed_secret: sealedBy(old), is_active: false, deleted_at: at(1) })
      const rotated = { sealed_secret: sealedBy(fresh), previous_sealed_secret: sealedBy(old) }
      yield* newEndpoint({ ...rotated, previous_secret_expires_at: DateTime.add(now, { milliseconds: 1 }) })
      yield* newEndpoint({ ...rotated, previous_secret_expires_at: now })
      const { id } = yield* newOrganisation()
      yield* newIntroduction(id, { token_key_id: old })
      yield* newIntroduction(id, { token_key_id: old, expires_at: now })
      yield* newIntroduction(id, { token_key_id: old, status: "REVOKED", revoked_at: at(1) })
      const integrations = yield* IntegrationStore
      yield* integrations.insert(
        yield* integrationOf(id, { passphrase_key_id: old, passphrase_hash: yield* freshId("request") })
      )
      same(yield* usageOf(old, now), [2, 1, 1])
      same(yield* usageOf(fresh, now), [2, 0, 0])
      same(yield* usageOf(old, DateTime.addDuration(now, "2 hours")), [1, 0, 1])
    }
  ),

  law("the latest secrets of each key are its samples", function* () {
    const [one, other] = [yield* freshId("request"), yield* freshId("request")]
    const made = yield* Effect.forEach([3, 1, 4, 2], (second) =>
      newEndpoint({ sealed_secret: sealedBy(one), updated_at: at(second) })
    )
    yield* newEndpoint({ sealed_secret: sealedBy(one), updated_at: at(9), deleted_at: at(9) })
    const alone = yield* newEndpoint({ sealed_secret: sealedBy(other) })
    const [latest, second] = made.toSorted((a, b) => b.updated_at.epochMilliseconds - a.updated_at.epochMilliseconds)
    for (const [limit, expected] of [
      [2, [latest, second]],
      [1, [latest]]
    ] as const) {
      const samples = yield* (yield* SealedStore).samples(limit)
      const sampled = (key_id: string) => idsOf(samples.filter(({ sealed }) => keyIdOf(sealed) === key_id)).toSorted()
      same(sampled(one), expected.flatMap((each) => each?.id ?? []).toSorted())
      same(sampled(other), [`${alone.id}`])
    }
  })
]

const replacing = (runs: number) => [
  property(
    "a walk comes to each secret once, although those before it are replaced",
    ["SealedStore.sealedWith MUST come to each of them, from null on, whatever of those before is replaced meanwhile."],
    runs,
    fc.tuple(fc.array(fc.boolean(), { maxLength: 6 }), fc.integer({ min: 1, max: 4 }), fc.boolean()),
    function* ([rotations, limit, isReplaced], { store }) {
      const [old, fresh] = [yield* freshId("request"), yield* freshId("request")]
      const sealed: Array<string> = []
      for (const isRotating of rotations) {
        const [sealed_secret, previous_sealed_secret] = [sealedBy(old), isRotating ? sealedBy(old) : null]
        const previous_secret_expires_at = isRotating ? at(200) : null
        yield* newEndpoint({ sealed_secret, previous_sealed_secret, previous_secret_expires_at })
        sealed.push(...[sealed_secret, previous_sealed_secret].filter((text) => text !== null))
      }
      const replace = (secret: SealedSecret) =>
        isReplaced ? store.replace(secret, secret.sealed.replace(old, fresh)) : Effect.void
      const found = yield* walk(old, limit, replace)
      same(found.map((secret) => secret.sealed).toSorted(), sealed.toSorted())
      same((yield* walk(old, 10, () => Effect.void)).length, isReplaced ? 0 : sealed.length)
      same((yield* walk(fresh, 10, () => Effect.void)).length, isReplaced ? sealed.length : 0)
    }
  ),

  must(
    "a secret is replaced where it is the same, and its endpoint is otherwise as it was",
    ["SealedStore.replace MUST change nothing where the secret is another by now."],
    function* ({ store }) {
      const endpoints = yield* WebhookEndpointStore
      const key = yield* freshId("request")
      const [sealed_secret, previous_sealed_secret] = [sealedBy(key), sealedBy(key)]
      const given = { sealed_secret, previous_sealed_secret, previous_secret_expires_at: at(200) }
      const endpoint = yield* newEndpoint(given)
      const { id, organisation_id } = endpoint
      const kept = endpoints.find(organisation_id, id)
      for (const [kind, field] of [
        ["webhook_secret", "sealed_secret"],
        ["previous_webhook_secret", "previous_sealed_secret"]
      ] as const) {
        const secret: SealedSecret = { kind, organisation_id, id, sealed: endpoint[field] ?? "" }
        same(yield* store.replace({ ...secret, sealed: "v1.other" }, "v1.x"), false)
        const { id: another } = yield* newOrganisation()
        same(yield* store.replace({ ...secret, organisation_id: another }, "v1.x"), false)
        same(yield* kept, Option.some(endpoint))
        same(yield* store.replace(secret, "v1.new"), true)
        same(yield* kept, Option.some({ ...endpoint, [field]: "v1.new" }))
        same(yield* store.replace(secret, "v1.x"), false)
        yield* endpoints.update(endpoint)
      }
    }
  ),

  law("an answer that is kept sealed is found, counted and replaced, and still repeated", function* ({ store, id }) {
    const answers = yield* IdempotencyStore
    const [open, secret] = [yield* scopeOf(id), yield* scopeOf(id)]
    const answer = answerOf(new Uint8Array([123, 125]))
    const stored = Effect.map(store.usage(now), (usage) =>
      usage.reduce((sum, { stored_answers }) => sum + stored_answers, 0)
    )
    const before = yield* stored
    for (const scope of [open, secret]) {
      const keep = answers.keep(scope, "body", answer, { secret: scope === secret, now })
      yield* inTransaction(Effect.andThen(answers.reserve(scope, ["body"], now), keep))
    }
    same(yield* stored, before + 1)
    const keys = (yield* store.usage(now)).map(({ key_id }) => key_id)
    const all = yield* store.sealedWith(keys, now, null, noLimit)
    const mine = all.filter(({ kind, organisation_id }) => kind === "stored_answer" && organisation_id === id)
    const [only] = mine
    assert.strictEqual(mine.length, 1)
    if (only === undefined) return
    same(yield* store.replace({ ...only, sealed: "v1.other" }, "v1.x"), false)
    same(yield* store.replace(only, only.sealed), true)
    same(yield* inTransaction(answers.reserve(secret, ["body"], now)), { _tag: "Replay", answer })
    const tomorrow = DateTime.addDuration(now, "25 hours")
    const late = yield* store.sealedWith(keys, tomorrow, null, noLimit)
    same(late.filter(({ kind, organisation_id }) => kind === "stored_answer" && organisation_id === id).length, 0)
  }),

  must(
    "the credentials of an own account are found, counted and replaced, and it is otherwise as it was",
    ["SealedStore.replace MUST change nothing where the secret is another by now."],
    function* ({ store, id: organisation_id }) {
      const integrations = yield* IntegrationStore
      const key = yield* freshId("request")
      const [sealed_credentials, previous_sealed_notice_secrets] = [sealedBy(key), sealedBy(key)]
      const overlap = { previous_sealed_notice_secrets, previous_notice_secrets_expire_at: at(200) }
      const integration = yield* integrationOf(organisation_id, { is_own: true, sealed_credentials, ...overlap })
      yield* integrations.insert(integration)
      yield* integrations.insert(yield* integrationOf(organisation_id))
      const { id } = integration
      const counted = (when: DateTime.Utc) =>
        Effect.map(store.usage(when), (usage) => usage.find(({ key_id }) => key_id === key)?.credentials)
      same([yield* counted(now), yield* counted(at(200))], [2, 1])
      same(
        (yield* store.samples(1)).filter(({ sealed }) => keyIdOf(sealed) === key),
        [{ kind: "integration_credentials", organisation_id, id, sealed: sealed_credentials }]
      )
      same<unknown>(yield* store.sealedWith([key], now, null, 10), [
        { kind: "integration_credentials", organisation_id, id, sealed: sealed_credentials },
        { kind: "previous_notice_secrets", organisation_id, id, sealed: previous_sealed_notice_secrets }
      ])
      for (const [second, count] of [
        [199.999, 2],
        [200, 1]
      ] as const) {
        assert.lengthOf(yield* store.sealedWith([key], at(second), null, 10), count)
      }
      const { id: another } = yield* newOrganisation()
      for (const [kind, field] of [
        ["integration_credentials", "sealed_credentials"],
        ["previous_notice_secrets", "previous_sealed_notice_secrets"]
      ] as const) {
        const secret: SealedSecret = { kind, organisation_id, id, sealed: integration[field] ?? "" }
        same(yield* store.replace({ ...secret, sealed: "v1.other" }, "v1.x"), false)
        same(yield* store.replace({ ...secret, organisation_id: another }, "v1.x"), false)
        same(yield* integrations.find(organisation_id, id), Option.some(integration))
        same(yield* store.replace(secret, "v1.new"), true)
        same(yield* integrations.find(organisation_id, id), Option.some({ ...integration, [field]: "v1.new" }))
        yield* integrations.update(integration)
      }
    }
  ),

  law("what a donor pays with is found, counted and replaced, no more", function* ({ store, id: organisation_id }) {
    const charges = yield* ChargeStore
    const key = yield* freshId("request")
    yield* newCharge(organisation_id)
    const charge = yield* newCharge(organisation_id, { sealed_token: sealedBy(key) })
    const usage = (yield* store.usage(now)).find(({ key_id }) => key_id === key)
    same([usage?.payment_tokens, usage?.webhook_secrets, usage?.stored_answers], [1, 0, 0])
    const [secret, ...others] = yield* store.sealedWith([key], now, null, 10)
    same(others, [])
    if (secret === undefined) return assert.isTrue(false, "it was not found")
    same<unknown>(secret, { kind: "payment_token", organisation_id, id: charge.id, sealed: charge.sealed_token })
    same(yield* store.replace({ ...secret, sealed: "v1.other" }, "v1.x"), false)
    const { id: another } = yield* newOrganisation()
    same(yield* store.replace({ ...secret, organisation_id: another }, "v1.x"), false)
    same(yield* store.replace(secret, "v1.new"), true)
    same(yield* charges.find(organisation_id, charge.id), Option.some({ ...charge, sealed_token: "v1.new" }))
    yield* charges.update({ ...charge, sealed_token: null })
    same(yield* store.replace(secret, "v1.x"), false)
  })
]

/** The laws of {@link SealedStore}. */
export const sealedStores = (given: Thoroughness = {}) => suite([...counting, ...replacing(runsOf(given))])
