import { type DateTime, Duration, Effect, Option } from "effect"
import type { Organisation } from "../../domain/access/Organisation.ts"
import { WebhookEndpointId } from "../../domain/kernel/Ids.ts"
import { addTime, instantAt } from "../../domain/kernel/InstantRange.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { birth } from "../../domain/kernel/Machine.ts"
import { InvalidInput, LimitReached, NotFound } from "../../domain/kernel/Rejection.ts"
import { textOrNull } from "../../domain/kernel/Text.ts"
import * as Event from "../../domain/outbox/Event.ts"
import type { FormerSecret } from "../../domain/outbox/SigningSecret.ts"
import * as SigningSecret from "../../domain/outbox/SigningSecret.ts"
import { addressRulesOf } from "../../domain/outbox/WebhookAddress.ts"
import * as WebhookEndpoint from "../../domain/outbox/WebhookEndpoint.ts"
import { OperatorCidrs } from "../../ports/access/OperatorCidrs.ts"
import { realNow } from "../../ports/kernel/AheadClock.ts"
import { SecretBox } from "../../ports/kernel/SecretBox.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { HostEvents } from "../../ports/outbox/HostEvents.ts"
import { WebhookAddresses } from "../../ports/outbox/WebhookAddresses.ts"
import { WebhookEndpointStore } from "../../ports/outbox/WebhookEndpointStore.ts"
import { requireScope } from "../access/caller/CallerContext.ts"
import { body, id, ofEventTypes, operationsOf, optionalBody } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { listMethod, readMethod } from "../access/operation/RecordReads.ts"
import { checkedService } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { makeWebhookEndpointChange } from "./endpoint/WebhookEndpointChange.ts"

type Endpoint = WebhookEndpoint.WebhookEndpoint

const endpointId = id(WebhookEndpointId, "webhook endpoint")

const registered = [
  ofEventTypes((own) =>
    body(WebhookEndpoint.newWebhookEndpoint(Event.eventTypeAmong(own)), WebhookEndpoint.WebhookEndpointRecord)
  )
] as const

const revised = [
  endpointId,
  ofEventTypes((own) =>
    body(WebhookEndpoint.webhookEndpointPatch(Event.eventTypeAmong(own)), WebhookEndpoint.WebhookEndpointRecord)
  )
] as const

const operations = Row.table("webhook_endpoints", {
  create: Row.change("Register a webhook endpoint", registered, WebhookEndpoint.WebhookEndpointWithSecret, {
    secret: true
  }),
  read: Row.read("Read a webhook endpoint", [endpointId], WebhookEndpoint.WebhookEndpointRecord),
  list: Row.list("List webhook endpoints", WebhookEndpoint.listing, WebhookEndpoint.WebhookEndpointRecord),
  update: Row.change("Change a webhook endpoint", revised, WebhookEndpoint.WebhookEndpointRecord),
  delete: Row.end("Delete a webhook endpoint", [endpointId], WebhookEndpoint.WebhookEndpointRecord),
  rotateSecret: Row.change(
    "Rotate a signing secret",
    [endpointId, optionalBody(WebhookEndpoint.SecretRotation, WebhookEndpoint.WebhookEndpointRecord)],
    WebhookEndpoint.WebhookEndpointWithSecret,
    { secret: true }
  )
})

/** All methods that are checked. */
export const methods = { ...operations, prepareCreate: operations.create, prepareUpdate: operations.update }

/** Registers receivers of events. decisions, section 4: Webhook endpoints. */
export class WebhookEndpoints extends Service<WebhookEndpoints>()("almoner/app/WebhookEndpoints", function* () {
  const store = yield* WebhookEndpointStore
  const addresses = yield* WebhookAddresses
  const operatorCidrs = yield* OperatorCidrs
  const box = yield* SecretBox
  const tokens = yield* Tokens
  const transaction = yield* Transaction
  const own = yield* HostEvents

  const change = yield* makeWebhookEndpointChange

  const vet = (url: string, organisation: Organisation): Effect.Effect<void, InvalidInput> =>
    addresses
      .vet(url, addressRulesOf(organisation, operatorCidrs), organisation.id)
      .pipe(
        Effect.mapError(({ reason }) => new InvalidInput({ param: "url", message: `url cannot be called: ${reason}.` }))
      )

  const newSecret = Effect.fnUntraced(function* (id: WebhookEndpointId) {
    const secret = WebhookEndpoint.secretPrefix + (yield* tokens.base62(WebhookEndpoint.secretDigits))
    return { secret, secret_last4: secret.slice(-4), sealed_secret: yield* box.seal(secret, id) }
  })

  const insert = Effect.fn("WebhookEndpoints.create")(function* (input: WebhookEndpoint.NewWebhookEndpoint) {
    const caller = yield* requireScope(operations.create)
    if ((yield* store.countForUpdate(caller.organisation.id)) >= Limits.webhookEndpoints) {
      return yield* new LimitReached({
        message: `An organisation has at most ${Limits.webhookEndpoints} webhook endpoints. Delete one that is not used.`
      })
    }
    const at = yield* realNow
    const id = yield* tokens.id("webhookEndpoint")
    const { secret, ...sealed } = yield* newSecret(id)
    const born = birth(
      WebhookEndpoint.machine,
      WebhookEndpoint.births.registered,
      (status): Endpoint => ({
        id,
        organisation_id: caller.organisation.id,
        url: input.url,
        description: textOrNull(input.description),
        event_types: input.event_types,
        is_active: status === "ACTIVE",
        disabled_reason: null,
        ...sealed,
        previous_sealed_secret: null,
        previous_secret_expires_at: null,
        failing_since: null,
        exhausted_at: null,
        created_at: at,
        updated_at: at,
        deleted_at: null
      })
    )
    yield* store.insert(born.state)
    yield* change.announce(operations.create.requires.name, born, { ...caller, at })
    return { ...born.state, secret }
  }, transaction.run)

  /** The look-ups of {@link create}; what it answers is the rest, to be run in a transaction. */
  const prepareCreate = Effect.fnUntraced(function* (input: WebhookEndpoint.NewWebhookEndpoint) {
    const caller = yield* requireScope(operations.create)
    yield* vet(input.url, caller.organisation)
    return insert(input)
  })

  /**
   * Registers an endpoint and answers it with its secret. Fails with {@link InvalidInput} (`url`) for an address that the
   * rules refuse or a name that leads to none that they allow, and with {@link LimitReached} at the 21st.
   */
  const create = (input: WebhookEndpoint.NewWebhookEndpoint) => Effect.flatten(prepareCreate(input))

  const read = readMethod("WebhookEndpoints.read", operations.read, "webhook endpoint", store)
  const list = listMethod("WebhookEndpoints.list", operations.list, store)

  const revise = Effect.fn("WebhookEndpoints.update")(function* (
    id: WebhookEndpointId,
    patch: WebhookEndpoint.WebhookEndpointPatch
  ) {
    const held = yield* change.hold(operations.update, id)
    const { at, before } = held
    const { is_active = before.is_active } = patch
    const switched: WebhookEndpoint.Command = { _tag: is_active ? "Enable" : "Disable", at }
    const commands = is_active === before.is_active ? [] : [switched]
    const changes = WebhookEndpoint.changesOf(before, patch)
    const changed = yield* change.settle(operations.update.requires.name, held, commands, (endpoint) =>
      Object.keys(changes).length === 0 ? endpoint : { ...endpoint, ...changes, updated_at: at }
    )
    yield* change.abandonPending(changed)
    return changed.state
  }, transaction.run)

  /** The look-ups of {@link update}; what it answers is the rest, to be run in a transaction. */
  const prepareUpdate = Effect.fnUntraced(function* (
    id: WebhookEndpointId,
    patch: WebhookEndpoint.WebhookEndpointPatch
  ) {
    const caller = yield* requireScope(operations.update)
    if (patch.url !== undefined) {
      // An id of somebody else's is not found, whatever the address.
      const found = yield* store.find(caller.organisation.id, id)
      if (Option.isNone(found)) return yield* new NotFound({ record: "webhook endpoint", id })
      yield* vet(patch.url, caller.organisation)
    }
    return revise(id, patch)
  })

  /**
   * Changes an endpoint. Disabling ends its pending deliveries as FAILED; enabling starts its run of failures anew. A patch
   * that changes nothing leaves `updated_at`.
   */
  const update = (id: WebhookEndpointId, patch: WebhookEndpoint.WebhookEndpointPatch) =>
    Effect.flatten(prepareUpdate(id, patch))

  /** Deletes an endpoint and ends its pending deliveries. Its deliveries stay readable. */
  const remove = Effect.fn("WebhookEndpoints.delete")(function* (id: WebhookEndpointId) {
    const changed = yield* change.perform(operations.delete, id, (at) => ({ _tag: "Delete", at }), {
      repeat: "audited"
    })
    yield* change.abandonPending(changed)
    return changed.state
  }, transaction.run)

  /** The secrets that still sign after a rotation. What cannot be opened signs no more. */
  const formerAfter = Effect.fnUntraced(function* (endpoint: Endpoint, at: DateTime.Utc, overlap: Duration.Duration) {
    if (Duration.isZero(overlap)) return []
    const sealed = WebhookEndpoint.formerSecrets(endpoint, at)
    const text = sealed === null ? Option.none() : yield* Effect.option(box.open(sealed.sealed, endpoint.id))
    const earlier =
      sealed === null || Option.isNone(text) ? [] : SigningSecret.formerSecretsIn(text.value, sealed.expires_at, at)
    const present = yield* Effect.option(box.open(endpoint.sealed_secret, endpoint.id))
    return Option.isNone(present) ? earlier : SigningSecret.rotatedSecrets(present.value, earlier, addTime(at, overlap))
  })

  const sealedFormer = Effect.fnUntraced(function* (id: WebhookEndpointId, former: ReadonlyArray<FormerSecret>) {
    if (former.length === 0) return { previous_sealed_secret: null, previous_secret_expires_at: null }
    return {
      previous_sealed_secret: yield* box.seal(SigningSecret.formerSecretsText(former), id),
      previous_secret_expires_at: instantAt(SigningSecret.lastUntilMillis(former))
    }
  })

  /**
   * Makes a new secret. For `overlap_hours` deliveries carry the signature of the former one, too, and those of earlier ones
   * for as long as was said when they were rotated; 0 ends them all. Fails with {@link LimitReached} where too many would sign.
   */
  const rotateSecret = Effect.fn("WebhookEndpoints.rotateSecret")(function* (
    id: WebhookEndpointId,
    rotation: WebhookEndpoint.SecretRotation
  ) {
    const held = yield* change.hold(operations.rotateSecret, id)
    const overlap = Duration.hours(rotation.overlap_hours ?? Limits.secretOverlapDefaultHours)
    const former = yield* formerAfter(held.before, held.at, overlap)
    if (former.length >= Limits.secretsSigning) {
      return yield* new LimitReached({
        message: `At most ${Limits.secretsSigning} secrets of an endpoint sign at once. Wait until an earlier one ends, or give overlap_hours 0, which ends all former ones at once.`
      })
    }
    const { secret, ...sealed } = yield* newSecret(id)
    const earlier = yield* sealedFormer(id, former)
    const { state } = yield* change.settle(operations.rotateSecret.requires.name, held, [], (endpoint) => ({
      ...endpoint,
      ...sealed,
      ...earlier,
      updated_at: held.at
    }))
    return { ...state, secret }
  }, transaction.run)

  const service = { prepareCreate, create, read, list, prepareUpdate, update, delete: remove, rotateSecret }
  return checkedService(methods, service, own.keys())
}) {}

/** The operations of {@link WebhookEndpoints}. */
export const webhookEndpointOperations = operationsOf(WebhookEndpoints, operations, {
  create: { prepare: (use, input) => use.prepareCreate(input) },
  update: { prepare: (use, endpoint, patch) => use.prepareUpdate(endpoint, patch) }
})
