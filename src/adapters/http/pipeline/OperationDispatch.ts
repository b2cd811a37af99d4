import { Effect, Option, Result } from "effect"
import {
  inFlight,
  type KeyedResult,
  makeIdempotentRequests
} from "../../../app/access/idempotency/IdempotentRequests.ts"
import type { Caller } from "../../../domain/access/Caller.ts"
import type { IdempotencyScope, StoredAnswer } from "../../../domain/access/Idempotency.ts"
import { authorize } from "../../../domain/access/Policy.ts"
import { priceOf } from "../../../domain/access/RateLimit.ts"
import { NotFound } from "../../../domain/kernel/Rejection.ts"
import { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import { RateLimiter } from "../../../ports/access/RateLimiter.ts"
import { notFound } from "../server/Outside.ts"
import { answer, bytesOf, type Exchange, jsonType, refuse, refuseFailure, refuseVerb } from "./Answers.ts"
import type { BodyShare, makeAnswerBudget, makeBodyBudget } from "./BodyMemory.ts"
import type { DecodedRequest, EdgeResponse } from "./Handler.ts"
import { parseJson } from "./Json.ts"
import { envelopeOf, type Failure, type Problem, problemOf, problemStatus } from "./Problem.ts"
import { idempotencyKey, readBody, unauthorized } from "./RequestChecks.ts"
import { type Route, type RouteMatch, routeFor } from "./Routes.ts"
import { type EdgeSettings, Settings } from "./Settings.ts"
import type { Turns } from "./Turns.ts"

interface Shared {
  readonly routes: (path: string) => RouteMatch | undefined
  readonly bodies: ReturnType<typeof makeBodyBudget>
  readonly answers: ReturnType<typeof makeAnswerBudget>
  readonly turns: Turns
}

interface Services extends Shared {
  readonly settings: EdgeSettings
  readonly keyed: Effect.Success<typeof makeIdempotentRequests>
  readonly limiter: RateLimiter["Service"]
}

interface Call {
  readonly exchange: Exchange
  readonly caller: Caller
  /** That of the caller's key. */
  readonly generation: number
  /** Whether the key still is valid: a body may take long to arrive. */
  readonly isKeyValid: Effect.Effect<boolean>
  readonly route: Route
  readonly found: RouteMatch
}

/** The decoded request, or the failure to decode it: an answer that is stored like any other. */
type Decoded = Result.Result<DecodedRequest<never, never>, Failure>

const noBytes = new Uint8Array()

const decode = (route: Route, found: RouteMatch, exchange: Exchange, body: Uint8Array): Decoded => {
  const list = route.list(exchange.request.query)
  if (Result.isFailure(list)) return Result.fail(list.failure)
  const payload = route.takesBody ? Result.flatMap(parseJson(body), route.payload) : Result.succeed(undefined)
  if (Result.isFailure(payload)) return Result.fail(payload.failure)
  const params = route.params(found.params)
  if (Option.isNone(params)) return Result.fail(new NotFound({ record: "record", id: found.params["id"] ?? "" }))
  return Result.succeed({
    params: params.value as never,
    payload: payload.success as never,
    list: list.success,
    request_id: exchange.request_id
  })
}

const storedSuccess =
  (route: Route) =>
  (value: unknown): StoredAnswer => {
    const { body, status } = route.answer(value)
    return { status, content_type: jsonType, body: bytesOf(body) }
  }

/** A refusal by a limit that has to be waited for is not stored, so that the same key can be used again after the wait. */
const storedFailure =
  (settings: EdgeSettings, { request_id }: Exchange) =>
  (failure: Failure): StoredAnswer | undefined => {
    const problem = problemOf(failure)
    if (problem.lockedForSeconds !== undefined) return undefined
    return {
      status: problemStatus(problem),
      content_type: jsonType,
      body: bytesOf(envelopeOf(problem, request_id, settings.apiBaseUrl))
    }
  }

const runPlain = (
  { settings }: Services,
  route: Route,
  exchange: Exchange,
  incoming: Decoded
): Effect.Effect<EdgeResponse, never, CurrentCaller> => {
  if (Result.isFailure(incoming)) return Effect.succeed(refuseFailure(settings, exchange, incoming.failure))
  const { prepare, run } = route.handler
  const operation = prepare === undefined ? run(incoming.success) : Effect.flatten(prepare(incoming.success))
  return Effect.match(operation, {
    onFailure: (failure) => refuseFailure(settings, exchange, failure),
    onSuccess: (value) => answer(settings, exchange, { contentType: jsonType, ...route.answer(value) })
  })
}

/** The operation to run in the transaction; the part that must stay out of it runs now. */
const prepared = (
  { handler: { prepare, run } }: Route,
  incoming: Decoded
): Effect.Effect<Effect.Effect<unknown, Failure, CurrentCaller>, never, CurrentCaller> => {
  if (Result.isFailure(incoming)) return Effect.succeed(Effect.fail(incoming.failure))
  if (prepare === undefined) return Effect.succeed(run(incoming.success))
  return Effect.match(prepare(incoming.success), {
    onFailure: (failure) => Effect.fail(failure),
    onSuccess: (rest) => rest
  })
}

/** The answer of the operation's fast path; undefined where it has none, or that declines. */
const runAtOnce = Effect.fnUntraced(function* (
  { handler: { atOnce } }: Route,
  incoming: Decoded,
  scope: IdempotencyScope,
  body_hash: string,
  answerOf: (value: unknown) => StoredAnswer
) {
  if (atOnce === undefined || Result.isFailure(incoming)) return undefined
  const outcome = yield* Effect.option(atOnce(incoming.success, { scope, body_hash, answerOf }))
  if (Option.isNone(outcome) || outcome.value._tag === "Declined") return undefined
  if (outcome.value._tag === "InFlight") return inFlight
  const recorded: KeyedResult<Failure> = { _tag: "Answered", answer: outcome.value.answer, replayed: false }
  return recorded
})

const scopeOf = ({ caller, exchange: { request }, generation }: Call, key: string): IdempotencyScope => ({
  organisation_id: caller.organisation.id,
  api_key_id: caller.actor.id,
  generation,
  method: request.method,
  // One record has one path, however its characters are percent-encoded.
  path: decodeURIComponent(request.path),
  key
})

/** Runs a keyed request: in one statement where the operation has a fast path that takes it, else in a transaction. */
const runKeyed = Effect.fnUntraced(function* (
  { keyed, settings }: Services,
  call: Call,
  key: string,
  body: Uint8Array,
  incoming: Decoded
) {
  const { exchange, route } = call
  const scope = scopeOf(call, key)
  const succeed = storedSuccess(route)
  const body_hashes = yield* keyed.hashesOf(body)
  const recorded = yield* runAtOnce(route, incoming, scope, body_hashes[0], succeed)
  if (recorded !== undefined) return recorded
  const request = { scope, secret: route.secret }
  const { holdsKey = false, prepare } = route.handler
  const operation = { begin: prepared(route, incoming), waits: prepare !== undefined, holdsKey }
  return yield* keyed.run(request, body_hashes, operation, { succeed, fail: storedFailure(settings, exchange) })
})

const respondKeyed = (settings: EdgeSettings, exchange: Exchange, outcome: KeyedResult<Failure>): EdgeResponse => {
  if (outcome._tag === "Refused") return refuseFailure(settings, exchange, outcome.failure)
  const { body, content_type: contentType, status } = outcome.answer
  const replayed = outcome.replayed ? { "Idempotent-Replayed": "true" } : {}
  return answer(settings, exchange, { status, contentType, body }, replayed)
}

/** Charges the organisation for a large body, and waits for its turn to read it. */
const paid = ({ limiter, turns }: Services, organisation_id: string, bytes: number): Effect.Effect<void> => {
  const price = priceOf(bytes)
  return price === 0
    ? Effect.void
    : Effect.andThen(limiter.charge(organisation_id, price), turns.within(organisation_id, 0, Effect.void))
}

const writeWithin = Effect.fnUntraced(function* (services: Services, call: Call, share: BodyShare) {
  const { exchange, found, route } = call
  const { settings } = services
  const { request } = exchange
  const body = yield* readBody(request, share)
  if (Result.isFailure(body)) {
    return { ...refuse(settings, exchange, body.failure.problem), close: body.failure.close }
  }
  if (!(yield* call.isKeyValid)) return refuse(settings, exchange, unauthorized)
  const key = route.keyed ? idempotencyKey(request) : Result.succeed(undefined)
  if (Result.isFailure(key)) return refuse(settings, exchange, key.failure)
  yield* paid(services, call.caller.organisation.id, body.success.byteLength)
  const incoming = decode(route, found, exchange, body.success)
  if (key.success === undefined) return yield* runPlain(services, route, exchange, incoming)
  return respondKeyed(settings, exchange, yield* runKeyed(services, call, key.success, body.success, incoming))
})

/** Handles a writing request. The memory of its body is given back when the request is answered or abandoned. */
const write = (services: Services, call: Call) => {
  const share = services.bodies.open(call.caller.organisation.id)
  return Effect.ensuring(writeWithin(services, call, share), Effect.sync(share.release))
}

const unread: Problem = {
  code: "rate_limited",
  message: "Earlier answers have not been read. Read them, or close their connections, and try again in 1 s.",
  retryAfterSeconds: 1
}

/** Handles a reading request when it is its organisation's turn. The records of a list count until they are answered. */
const read = (services: Services, route: Route, exchange: Exchange, incoming: Decoded, organisation_id: string) => {
  const records = route.isList && Result.isSuccess(incoming) ? incoming.success.list.limit : 0
  const answered = Effect.suspend(() =>
    services.answers.isFull(organisation_id)
      ? Effect.succeed(refuse(services.settings, exchange, unread))
      : runPlain(services, route, exchange, incoming)
  )
  return services.turns.within(organisation_id, records, answered)
}

const dispatch = (
  services: Services,
  exchange: Exchange,
  caller: Caller,
  key: Pick<Call, "generation" | "isKeyValid">
): Effect.Effect<EdgeResponse> => {
  const { routes, settings } = services
  const { request } = exchange
  const found = routes(request.path)
  if (found === undefined) return Effect.succeed(refuse(settings, exchange, notFound))
  const route = routeFor(found.routes, request.method)
  if (route === undefined) return Effect.succeed(refuseVerb(settings, exchange, found.routes.allow))
  const permitted = route.requires === null ? Result.void : authorize(caller, route.requires)
  if (Result.isFailure(permitted)) return Effect.succeed(refuseFailure(settings, exchange, permitted.failure))
  const operation = route.takesBody
    ? services.answers.isFull(caller.organisation.id)
      ? Effect.succeed(refuse(settings, exchange, unread))
      : write(services, { ...key, exchange, caller, route, found })
    : read(services, route, exchange, decode(route, found, exchange, noBytes), caller.organisation.id)
  return Effect.provideService(operation, CurrentCaller, caller)
}

/** Runs the operation of a recognised caller's request, where the caller may run it, and answers its response. */
export const makeDispatch = Effect.fnUntraced(function* (shared: Shared) {
  const settings = yield* Settings
  const services: Services = { ...shared, settings, keyed: yield* makeIdempotentRequests, limiter: yield* RateLimiter }
  return (
    exchange: Exchange,
    caller: Caller,
    key: Pick<Call, "generation" | "isKeyValid">
  ): Effect.Effect<EdgeResponse> => dispatch(services, exchange, caller, key)
})
