import { Clock, Context, DateTime, type Duration, Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import * as Tokens from "../../src/adapters/crypto/Tokens.ts"
import * as Stores from "../../src/adapters/memory/Stores.ts"
import * as Signature from "../../src/adapters/webhooks/Signature.ts"
import { ChangeLog } from "../../src/app/access/change/Change.ts"
import { Dispatcher } from "../../src/app/outbox/Dispatcher.ts"
import { SenderVersion } from "../../src/app/outbox/delivery/WebhookSender.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import * as Ids from "../../src/domain/kernel/Ids.ts"
import { idFor } from "../../src/domain/outbox/Delivery.ts"
import type { WebhookEndpoint } from "../../src/domain/outbox/WebhookEndpoint.ts"
import { OrganisationStore } from "../../src/ports/access/OrganisationStore.ts"
import { SealBroken, SecretBox } from "../../src/ports/kernel/SecretBox.ts"
import { Tokens as TokensPort } from "../../src/ports/kernel/Tokens.ts"
import { DeliveryStore } from "../../src/ports/outbox/DeliveryStore.ts"
import { Outbox } from "../../src/ports/outbox/Outbox.ts"
import { WebhookEndpointStore } from "../../src/ports/outbox/WebhookEndpointStore.ts"
import { type WebhookOutcome, type WebhookRequest, WebhookTransport } from "../../src/ports/outbox/WebhookTransport.ts"

/** A request as the receiver saw it, and the span of its exchange, milliseconds since the epoch. */
export interface Exchange extends WebhookRequest {
  readonly id: string
  readonly from: number
  to: number
}

/** The dispatcher's surroundings, which a test can observe and change. */
export interface Outside {
  readonly exchanges: Array<Exchange>
  /** How receivers answer; the number counts the exchanges of one delivery from 1. */
  answer: (request: WebhookRequest, number: number) => Effect.Effect<WebhookOutcome>
  /** Whether the dispatcher's store breaks at every call. */
  away: boolean
  /** Calls of the dispatcher's store that get their answer only when they stand here no more. */
  readonly hanging: Set<keyof DeliveryStore["Service"]>
  /** Deliveries whose outcomes the dispatcher's store refuses, with the whole call that they are in. */
  readonly poison: Set<string>
  /** How long a claim takes after it was made, milliseconds. */
  claimMillis: number
  /** Whether claims lease, and their answers are lost. */
  claimsLost: boolean
  /** How long the store takes for a renewal, milliseconds. */
  renewMillis: number
  claims: number
  settlements: number
}

export class World extends Context.Service<World, Outside>()("almoner/test/World") {}

export const answerWith = (response_status: number): WebhookOutcome => ({
  response_status,
  response_excerpt: "ok",
  retry_after: null,
  error: null,
  duration_ms: 1
})

/** A receiver that never answers: the transport gives up at its deadline. */
export const timedOut = Effect.as(Effect.sleep("10 seconds"), {
  response_status: null,
  response_excerpt: null,
  retry_after: null,
  error: "timeout",
  duration_ms: 10_000
} satisfies WebhookOutcome)

const world = Layer.sync(World, () => ({
  exchanges: [],
  answer: () => Effect.succeed(answerWith(204)),
  away: false,
  hanging: new Set<keyof DeliveryStore["Service"]>(),
  poison: new Set<string>(),
  claimMillis: 0,
  claimsLost: false,
  renewMillis: 0,
  claims: 0,
  settlements: 0
}))

const transport = Layer.effect(
  WebhookTransport,
  Effect.map(World, (outside) =>
    WebhookTransport.of({
      post: Effect.fnUntraced(function* (request) {
        const id = request.headers["webhook-id"] ?? ""
        const now = yield* Clock.currentTimeMillis
        const exchange: Exchange = { ...request, id, from: now, to: Number.POSITIVE_INFINITY }
        outside.exchanges.push(exchange)
        const number = outside.exchanges.filter((each) => each.id === id).length
        const outcome = yield* outside.answer(request, number)
        exchange.to = yield* Clock.currentTimeMillis
        return outcome
      })
    })
  )
)

const box = Layer.succeed(SecretBox, {
  seal: (secret, context) => Effect.succeed(`${context}/${secret}`),
  open: (sealed, context) =>
    sealed.startsWith(`${context}/`)
      ? Effect.succeed(sealed.slice(context.length + 1))
      : Effect.fail(new SealBroken({ key_id: "gone" }))
})

/** The store as one dispatcher reaches it: every call breaks while `outside.away`. */
const fallible = (store: DeliveryStore["Service"], outside: Outside): DeliveryStore["Service"] => {
  const gate = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => (outside.away ? Effect.die("the store is away") : effect))
  const unhung = (call: keyof DeliveryStore["Service"]): Effect.Effect<void> =>
    Effect.suspend(() => (outside.hanging.has(call) ? Effect.andThen(Effect.sleep(100), unhung(call)) : Effect.void))
  return {
    ...store,
    claim: (options) => {
      outside.claims++
      const claim = Effect.tap(Effect.andThen(unhung("claim"), gate(store.claim(options))), () =>
        outside.claimsLost ? Effect.die("the answer is lost") : Effect.void
      )
      return outside.claimMillis === 0 ? claim : Effect.tap(claim, Effect.sleep(outside.claimMillis))
    },
    settle: (outcomes) => {
      outside.settlements++
      const isPoisoned = outcomes.some(({ delivery }) => outside.poison.has(delivery.id))
      return gate(isPoisoned ? Effect.die("a row that the store refuses") : store.settle(outcomes))
    },
    expired: (options) => Effect.andThen(unhung("expired"), gate(store.expired(options))),
    renew: (lease_id, lease_millis) =>
      Effect.tap(gate(store.renew(lease_id, lease_millis)), Effect.sleep(outside.renewMillis)),
    release: (lease_ids) => gate(store.release(lease_ids)),
    repair: (lease_millis) => gate(store.repair(lease_millis)),
    now: gate(store.now),
    failing: gate(store.failing),
    untilDue: Effect.andThen(unhung("untilDue"), gate(store.untilDue))
  }
}

const stores = Stores.layer.pipe(Layer.provideMerge(box))

const throughGate = Layer.effect(
  DeliveryStore,
  Effect.gen(function* () {
    return fallible(yield* DeliveryStore, yield* World)
  })
)

/** A dispatcher over a new, empty memory, whose store a test can take away; the test itself reaches the real one. */
export const layer = Dispatcher.layer.pipe(
  Layer.provide(throughGate),
  Layer.provideMerge(ChangeLog.layer),
  Layer.provideMerge(
    Layer.mergeAll(stores, transport, Tokens.layer, Signature.layer, Layer.succeed(SenderVersion, "1.2.3"))
  ),
  Layer.provideMerge(world)
)

/** Lets everything that can happen at this instant happen. */
export const settleDown = Effect.repeat(Effect.yieldNow, { times: 200 })

/** Lets time pass, with all that happens in it. */
export const pass = (duration: Duration.Input) =>
  Effect.andThen(settleDown, Effect.andThen(TestClock.adjust(duration), settleDown))

/** Runs a dispatcher until the end of the test, which lets its clock go on for as long as a stop may take. */
export const startOf = ({ run }: Pick<Dispatcher["Service"], "run">) =>
  Effect.acquireRelease(
    Effect.forkDetach(run),
    Effect.fnUntraced(function* (worker) {
      const stopping = yield* Effect.forkDetach(Fiber.interrupt(worker))
      yield* pass("10 seconds")
      yield* Fiber.await(stopping)
    })
  )

export const start = Effect.flatMap(Dispatcher, startOf)

const newId = (kind: Ids.IdKind) => Effect.flatMap(TokensPort, (tokens) => tokens.id(kind))

const organisation = Effect.fnUntraced(function* (is_sandbox: boolean) {
  const at = yield* DateTime.now
  const id = Ids.OrganisationId.make(yield* newId("organisation"))
  const made: Organisation = {
    id,
    slug: id.replace("_", "-"),
    name: "Test",
    is_sandbox,
    timezone: "Australia/Sydney",
    default_currency: "AUD",
    abn: null,
    website_url: null,
    plan: "FREE",
    webhook_allowed_cidrs: [],
    created_at: at,
    updated_at: at
  }
  yield* Effect.orDie(Effect.flatMap(OrganisationStore, (store) => store.insert(made)))
  return made
})

/** Registers an endpoint, of an organisation of its own unless one is named. */
export const makeEndpoint = Effect.fnUntraced(function* (changes: Partial<WebhookEndpoint> = {}, is_sandbox = false) {
  const organisation_id = changes.organisation_id ?? (yield* organisation(is_sandbox)).id
  const at = yield* DateTime.now
  const id = Ids.WebhookEndpointId.make(yield* newId("webhookEndpoint"))
  const made: WebhookEndpoint = {
    id,
    organisation_id,
    url: `https://${id.replace("_", "-")}.example.org/hook`,
    description: null,
    event_types: ["donor.created"],
    is_active: true,
    disabled_reason: null,
    secret_last4: "cret",
    sealed_secret: `${id}/secret`,
    previous_sealed_secret: null,
    previous_secret_expires_at: null,
    failing_since: null,
    exhausted_at: null,
    created_at: at,
    updated_at: at,
    deleted_at: null,
    ...changes
  }
  yield* Effect.flatMap(WebhookEndpointStore, (store) => store.insert(made))
  return made
})

/** Commits an event of the endpoint's organisation, and answers the id of its delivery. */
export const commit = Effect.fnUntraced(function* (endpoint: WebhookEndpoint) {
  const id = Ids.EventId.make(yield* newId("event"))
  const outbox = yield* Outbox
  yield* outbox.append([
    {
      id,
      organisation_id: endpoint.organisation_id,
      type: "donor.created",
      occurred_at: yield* DateTime.now,
      dedupe_key: null,
      body: JSON.stringify({ type: "donor.created", data: { id } })
    }
  ])
  return idFor(id, 1)
})

export const find = Effect.fnUntraced(function* (endpoint: WebhookEndpoint, id: Ids.DeliveryId) {
  const store = yield* DeliveryStore
  return Option.getOrThrow(yield* store.find(endpoint.organisation_id, id))
})

export const findEndpoint = Effect.fnUntraced(function* (endpoint: WebhookEndpoint) {
  const store = yield* WebhookEndpointStore
  return Option.getOrThrow(yield* store.findForUpdate(endpoint.organisation_id, endpoint.id))
})

/** Another worker over the same store, which is away for it by itself. */
export const anotherWorker = Effect.gen(function* () {
  const world = yield* World
  const outside: Outside = { ...world, exchanges: world.exchanges, hanging: new Set() }
  const store = fallible(yield* DeliveryStore, outside)
  return { outside, worker: yield* Effect.provideService(Dispatcher.make, DeliveryStore, store) }
})
