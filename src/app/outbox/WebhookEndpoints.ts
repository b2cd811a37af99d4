import { Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import type { Organisation } from "../../domain/access/Organisation.ts"
import type { Operation } from "../../domain/access/Policy.ts"
import type { WebhookEndpointId } from "../../domain/kernel/Ids.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import type { ListQuery } from "../../domain/kernel/Listing.ts"
import * as Machine from "../../domain/kernel/Machine.ts"
import { InvalidInput, LimitReached, NotFound } from "../../domain/kernel/Rejection.ts"
import { textOrNull } from "../../domain/kernel/Text.ts"
import { addressRulesOf } from "../../domain/outbox/WebhookAddress.ts"
import * as WebhookEndpoint from "../../domain/outbox/WebhookEndpoint.ts"
import { OperatorCidrs } from "../../ports/access/OperatorCidrs.ts"
import { SecretBox } from "../../ports/kernel/SecretBox.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { DeliveryStore } from "../../ports/outbox/DeliveryStore.ts"
import { WebhookAddresses } from "../../ports/outbox/WebhookAddresses.ts"
import { WebhookEndpointStore } from "../../ports/outbox/WebhookEndpointStore.ts"
import { Journal } from "../access/steps/Journal.ts"
import { permitted } from "../access/steps/Permission.ts"
import { orNotFound } from "../kernel/steps/Finding.ts"

type Endpoint = WebhookEndpoint.WebhookEndpoint

/** An endpoint together with its secret: shown once. */
export type Disclosed = Endpoint & { readonly secret: string }

const decide = (endpoint: Endpoint, command: WebhookEndpoint.Command) =>
  Effect.map(
    Effect.fromResult(Machine.decide(WebhookEndpoint.machine, endpoint, command)),
    ({ state }): Endpoint => state
  )

/** Registers receivers of events. decisions, section 4: Webhook endpoints. */
export class WebhookEndpoints extends Context.Service<WebhookEndpoints>()("almoner/app/WebhookEndpoints", {
  make: Effect.gen(function* () {
    const store = yield* WebhookEndpointStore
    const deliveries = yield* DeliveryStore
    const addresses = yield* WebhookAddresses
    const operatorCidrs = yield* OperatorCidrs
    const box = yield* SecretBox
    const journal = yield* Journal
    const tokens = yield* Tokens
    const transaction = yield* Transaction

    const audit = (operation: Operation, subject_id: string, at: DateTime.Utc) =>
      journal.write({ operation, subject_id, at, events: [] })

    const vet = (url: string, organisation: Organisation): Effect.Effect<void, InvalidInput> =>
      addresses
        .vet(url, addressRulesOf(organisation, operatorCidrs), organisation.id)
        .pipe(
          Effect.mapError(
            ({ reason }) => new InvalidInput({ param: "url", message: `url cannot be called: ${reason}.` })
          )
        )

    const newSecret = Effect.fnUntraced(function* (id: WebhookEndpointId) {
      const secret = WebhookEndpoint.secretPrefix + (yield* tokens.base62(WebhookEndpoint.secretDigits))
      return { secret, secret_last4: secret.slice(-4), sealed_secret: yield* box.seal(secret, id) }
    })

    const insert = Effect.fn("WebhookEndpoints.create")(function* (input: WebhookEndpoint.NewWebhookEndpoint) {
      const caller = yield* permitted("webhook_endpoints.create")
      if ((yield* store.countForUpdate(caller.organisation.id)) >= Limits.webhookEndpoints) {
        return yield* new LimitReached({
          message: `An organisation has at most ${Limits.webhookEndpoints} webhook endpoints. Delete one that is not used.`
        })
      }
      const at = yield* DateTime.now
      const id = yield* tokens.id("webhookEndpoint")
      const { secret, ...sealed } = yield* newSecret(id)
      const endpoint: Endpoint = {
        id,
        organisation_id: caller.organisation.id,
        url: input.url,
        description: textOrNull(input.description),
        event_types: input.event_types,
        is_active: true,
        disabled_reason: null,
        ...sealed,
        previous_sealed_secret: null,
        previous_secret_expires_at: null,
        failing_since: null,
        exhausted_at: null,
        created_at: at,
        updated_at: at,
        deleted_at: null
      }
      yield* store.insert(endpoint)
      yield* audit("webhook_endpoints.create", id, at)
      return { ...endpoint, secret }
    }, transaction.run)

    /** The look-ups of {@link create}; what it answers is the rest, to be run in a transaction. */
    const prepareCreate = Effect.fnUntraced(function* (input: WebhookEndpoint.NewWebhookEndpoint) {
      const caller = yield* permitted("webhook_endpoints.create")
      yield* vet(input.url, caller.organisation)
      return insert(input)
    })

    /**
     * Registers an endpoint and answers it with its secret. Fails with {@link InvalidInput} (`url`) for an address that the
     * rules refuse or a name that leads to none that they allow, and with {@link LimitReached} at the 21st.
     */
    const create = (input: WebhookEndpoint.NewWebhookEndpoint) => Effect.flatten(prepareCreate(input))

    const read = Effect.fn("WebhookEndpoints.read")(function* (id: WebhookEndpointId) {
      const caller = yield* permitted("webhook_endpoints.read")
      return yield* store.find(caller.organisation.id, id).pipe(orNotFound("webhook endpoint", id))
    })

    const list = Effect.fn("WebhookEndpoints.list")(function* (query: ListQuery) {
      const caller = yield* permitted("webhook_endpoints.list")
      return yield* store.list(caller.organisation.id, query)
    })

    const findForUpdate = Effect.fnUntraced(function* (operation: Operation, id: WebhookEndpointId) {
      const caller = yield* permitted(operation)
      return yield* store.findForUpdate(caller.organisation.id, id).pipe(orNotFound("webhook endpoint", id))
    })

    const findLiveForUpdate = Effect.fnUntraced(function* (operation: Operation, id: WebhookEndpointId) {
      const endpoint = yield* findForUpdate(operation, id)
      if (endpoint.deleted_at !== null) return yield* new NotFound({ record: "webhook endpoint", id })
      return endpoint
    })

    const change = Effect.fn("WebhookEndpoints.update")(function* (
      id: WebhookEndpointId,
      patch: WebhookEndpoint.WebhookEndpointPatch
    ) {
      const before = yield* findLiveForUpdate("webhook_endpoints.update", id)
      const at = yield* DateTime.now
      const { description, is_active, ...rest } = patch
      const edited: Endpoint = {
        ...before,
        ...rest,
        ...(description === undefined ? {} : { description: textOrNull(description) }),
        ...(Object.keys(patch).length === 0 ? {} : { updated_at: at })
      }
      const after =
        is_active === undefined || is_active === before.is_active
          ? edited
          : yield* decide(edited, is_active ? { _tag: "Enable", at } : { _tag: "Disable", at })
      yield* store.update(after)
      if (before.is_active && !after.is_active) yield* deliveries.abandon(after.organisation_id, id, at)
      yield* audit("webhook_endpoints.update", id, at)
      return after
    }, transaction.run)

    /** The look-ups of {@link update}; what it answers is the rest, to be run in a transaction. */
    const prepareUpdate = Effect.fnUntraced(function* (
      id: WebhookEndpointId,
      patch: WebhookEndpoint.WebhookEndpointPatch
    ) {
      const caller = yield* permitted("webhook_endpoints.update")
      if (patch.url !== undefined) {
        // An id of somebody else's is not found, whatever the address.
        const found = yield* store.find(caller.organisation.id, id)
        if (Option.isNone(found)) return yield* new NotFound({ record: "webhook endpoint", id })
        yield* vet(patch.url, caller.organisation)
      }
      return change(id, patch)
    })

    /** Changes an endpoint. Disabling ends its pending deliveries as FAILED; enabling starts its run of failures anew. */
    const update = (id: WebhookEndpointId, patch: WebhookEndpoint.WebhookEndpointPatch) =>
      Effect.flatten(prepareUpdate(id, patch))

    /** Deletes an endpoint and ends its pending deliveries. Its deliveries stay readable. */
    const remove = Effect.fn("WebhookEndpoints.remove")(function* (id: WebhookEndpointId) {
      const before = yield* findForUpdate("webhook_endpoints.delete", id)
      const at = yield* DateTime.now
      const repeated = before.deleted_at !== null
      const after = repeated ? before : yield* decide(before, { _tag: "Delete", at })
      if (!repeated) {
        yield* store.update(after)
        yield* deliveries.abandon(after.organisation_id, id, at)
      }
      yield* audit("webhook_endpoints.delete", id, at)
      return after
    }, transaction.run)

    /** Makes a new secret. For `overlap_hours` deliveries carry the signatures of both. */
    const rotateSecret = Effect.fn("WebhookEndpoints.rotateSecret")(function* (
      id: WebhookEndpointId,
      rotation: WebhookEndpoint.SecretRotation
    ) {
      const before = yield* findLiveForUpdate("webhook_endpoints.rotate_secret", id)
      const at = yield* DateTime.now
      const overlap = Duration.hours(rotation.overlap_hours ?? Limits.secretOverlapDefaultHours)
      const { secret, ...sealed } = yield* newSecret(id)
      const after: Endpoint = {
        ...before,
        ...sealed,
        previous_sealed_secret: before.sealed_secret,
        previous_secret_expires_at: DateTime.addDuration(at, overlap),
        updated_at: at
      }
      yield* store.update(after)
      yield* audit("webhook_endpoints.rotate_secret", id, at)
      return { ...after, secret }
    }, transaction.run)

    return { prepareCreate, create, read, list, prepareUpdate, update, remove, rotateSecret } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
