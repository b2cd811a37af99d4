import { Cause, Effect, Option, Result } from "effect"
import { Authentication, callerOf } from "../../../app/access/Authentication.ts"
import type { Authenticated } from "../../../app/access/steps/KeyCache.ts"
import { isWellFormed } from "../../../domain/access/ApiKey.ts"
import type { Caller } from "../../../domain/access/Caller.ts"
import { countedAs } from "../../../domain/access/ClientAddress.ts"
import type { StoredAnswer } from "../../../domain/access/Idempotency.ts"
import { authorize } from "../../../domain/access/Policy.ts"
import type { Taken } from "../../../domain/access/RateLimit.ts"
import { idDigits } from "../../../domain/kernel/Ids.ts"
import { NotFound } from "../../../domain/kernel/Rejection.ts"
import { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import { RateLimiter } from "../../../ports/access/RateLimiter.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { healthOf } from "../endpoints/access/meta.ts"
import { logging } from "../server/AccessLog.ts"
import type { Documents } from "../server/Documents.ts"
import { isApiPath, makeOutside, notFound } from "../server/Outside.ts"
import { healthPath, makeProbe } from "../server/Ready.ts"
import { answer, bytesOf, type Exchange, jsonType, refuse, refuseVerb, throttled, withoutContent } from "./Answers.ts"
import { type BodyShare, makeBodyBudget } from "./BodyMemory.ts"
import { makeBreakageLog, problemOfBreakage } from "./Breakage.ts"
import { isPreflight, preflightHeaders } from "./Cors.ts"
import { parseJson } from "./Decode.ts"
import type { EdgeRequest, EdgeResponse } from "./Exchange.ts"
import type { Incoming } from "./Handler.ts"
import { type KeyedAnswer, makeKeyed } from "./Keyed.ts"
import { makeNoticeDoor } from "./NoticeDoor.ts"
import { envelopeOf, type Failure, type Problem, problemOf, problemStatus } from "./Problem.ts"
import * as Gate from "./RequestChecks.ts"
import { type Found, noQuery, type Route, routeFor } from "./Routes.ts"
import { Settings } from "./Settings.ts"

/** The routes and documents that the pipeline serves. */
export interface Served {
  readonly routes: (path: string) => Found | undefined
  readonly documents: Documents
}

/** The pipeline: a request as plain values in, an answer as plain values out. It never fails. */
export type Handle = (request: EdgeRequest) => Effect.Effect<EdgeResponse>

/** Answers a request that is not even HTTP, from this address. It never fails. */
export type Unreadable = (clientAddress: string, problem: Problem) => Effect.Effect<EdgeResponse>

/** A request that could not be read: only the client's address is known. */
const unread = (clientAddress: string): EdgeRequest => ({
  method: "",
  path: "",
  query: "",
  headers: {},
  clientAddress,
  readBody: () => Effect.succeed({ _tag: "Broken" })
})

const noBytes = new Uint8Array()

const idSegment = new RegExp(`^[a-z]+_[${idDigits}]{26}$`)

/** A path for the log. Ids, and paths that do not exist, are replaced: a caller may have written anything there. */
const loggedPath = (found: Found | undefined): string =>
  found === undefined
    ? "unknown"
    : found.routes.path.replaceAll(/:(\w+)/g, (placeholder, name: string) => {
        const given = found.params[name] ?? ""
        return idSegment.test(given) ? given : placeholder
      })

const isDocumentVerb = (method: string): boolean => method === "GET" || method === "HEAD"

/**
 * Whether a path is outside the API. One that does not begin like the API's may still be routed there when it is
 * spelled differently.
 */
const isOutside = ({ routes }: Served, path: string): boolean => !isApiPath(path) && routes(path) === undefined

/** Builds the pipeline with the contract's order of checks. decisions, section 2. */
export const make = (served: Served) =>
  Effect.gen(function* () {
    const authentication = yield* Authentication
    const limiter = yield* RateLimiter
    const tokens = yield* Tokens
    const settings = yield* Settings
    const keyed = yield* makeKeyed
    const bodies = makeBodyBudget()
    const outside = yield* makeOutside(settings, served.documents)
    const probe = yield* makeProbe(settings)
    const tell = yield* makeBreakageLog
    const logged = yield* logging(served)
    const told = yield* makeNoticeDoor({ bodies, tell })

    const exchangeOf = (
      request: EdgeRequest,
      request_id: string,
      taken: Taken,
      organisation_id: string | null
    ): Effect.Effect<Exchange> =>
      Effect.clockWith((clock) => {
        const rate = { size: limiter.size, taken, now: clock.currentTimeMillisUnsafe() }
        return Effect.succeed({ request, request_id, organisation_id, rate })
      })

    const failed = (exchange: Exchange, failure: Failure): EdgeResponse =>
      refuse(settings, exchange, problemOf(failure))

    const storedFailure =
      (exchange: Exchange) =>
      (failure: Failure): StoredAnswer => {
        const problem = problemOf(failure)
        return {
          status: problemStatus(problem),
          content_type: jsonType,
          body: bytesOf(envelopeOf(problem, exchange.request_id, settings.apiBaseUrl))
        }
      }

    const success =
      (route: Route) =>
      (value: unknown): StoredAnswer => {
        const { body, status } = route.answer(value)
        return { status, content_type: jsonType, body: bytesOf(body) }
      }

    const respond = (exchange: Exchange, stored: StoredAnswer, replayed = false): EdgeResponse =>
      answer(
        settings,
        exchange,
        { status: stored.status, contentType: stored.content_type, body: stored.body },
        replayed ? { "Idempotent-Replayed": "true" } : {}
      )

    const decode = (
      route: Route,
      found: Found,
      exchange: Exchange,
      body: Uint8Array
    ): Result.Result<Incoming<never, never>, Failure> => {
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

    const plain = (
      route: Route,
      exchange: Exchange,
      incoming: Result.Result<Incoming<never, never>, Failure>
    ): Effect.Effect<EdgeResponse, never, CurrentCaller> => {
      if (Result.isFailure(incoming)) return Effect.succeed(failed(exchange, incoming.failure))
      const { prepare, run } = route.handler
      const operation = prepare === undefined ? run(incoming.success) : Effect.flatten(prepare(incoming.success))
      return Effect.match(operation, {
        onFailure: (failure) => failed(exchange, failure),
        onSuccess: (value) => answer(settings, exchange, { contentType: jsonType, ...route.answer(value) })
      })
    }

    const keyedAnswer = (exchange: Exchange, outcome: KeyedAnswer): EdgeResponse =>
      outcome._tag === "Refused"
        ? refuse(settings, exchange, outcome.problem)
        : respond(exchange, outcome.answer, outcome.replayed)

    const writeWithin = Effect.fnUntraced(function* (
      route: Route,
      found: Found,
      exchange: Exchange,
      caller: Caller,
      generation: number,
      share: BodyShare
    ) {
      const { request } = exchange
      const body = yield* Gate.readBody(request, share)
      if (Result.isFailure(body)) {
        return { ...refuse(settings, exchange, body.failure.problem), close: body.failure.close }
      }
      const key = route.keyed ? Gate.idempotencyKey(request) : Result.succeed(undefined)
      if (Result.isFailure(key)) return refuse(settings, exchange, key.failure)
      const incoming = decode(route, found, exchange, body.success)
      if (key.success === undefined) return yield* plain(route, exchange, incoming)
      const outcome = yield* keyed({
        route,
        scope: {
          organisation_id: caller.organisation.id,
          api_key_id: caller.actor.id,
          generation,
          method: request.method,
          // One record has one path, however its characters are percent-encoded.
          path: decodeURIComponent(request.path),
          key: key.success
        },
        body: body.success,
        incoming,
        succeed: success(route),
        fail: storedFailure(exchange)
      })
      return keyedAnswer(exchange, outcome)
    })

    /** Handles a writing request. The memory of its body is given back when the request is answered or abandoned. */
    const write = (route: Route, found: Found, exchange: Exchange, caller: Caller, generation: number) => {
      const share = bodies.open(caller.organisation.id)
      return Effect.ensuring(writeWithin(route, found, exchange, caller, generation, share), Effect.sync(share.release))
    }

    const authenticated = (exchange: Exchange, caller: Caller, generation: number): Effect.Effect<EdgeResponse> => {
      const { request } = exchange
      const found = served.routes(request.path)
      if (found === undefined) return Effect.succeed(refuse(settings, exchange, notFound))
      const route = routeFor(found.routes, request.method)
      if (route === undefined) return Effect.succeed(refuseVerb(settings, exchange, found.routes.allow))
      const permitted = route.asks === null ? Result.void : authorize(caller, route.asks)
      if (Result.isFailure(permitted)) return Effect.succeed(failed(exchange, permitted.failure))
      const operation = route.takesBody
        ? write(route, found, exchange, caller, generation)
        : plain(route, exchange, decode(route, found, exchange, noBytes))
      return Effect.provideService(operation, CurrentCaller, caller)
    }

    /** Answers health, and whatever is outside the API: without a key, under the bucket of the client's address. */
    const open = (exchange: Exchange): Effect.Effect<EdgeResponse> | undefined => {
      const { method, path } = exchange.request
      if (path === healthPath) {
        if (!isDocumentVerb(method)) return Effect.succeed(refuseVerb(settings, exchange, ["GET", "HEAD"]))
        const query = noQuery(exchange.request.query)
        if (Result.isFailure(query)) return Effect.succeed(failed(exchange, query.failure))
        const body = JSON.stringify(healthOf(settings.version, exchange.request_id))
        return Effect.succeed(answer(settings, exchange, { status: 200, contentType: jsonType, body }))
      }
      if (probe.isAt(path)) return Effect.succeed(refuseVerb(settings, exchange, ["GET", "HEAD"]))
      return isOutside(served, path) ? outside(exchange) : undefined
    }

    /** Takes a token from the bucket of the client's address, when the effect is run. */
    const ofStranger = (request: EdgeRequest, request_id: string): Effect.Effect<Exchange> =>
      Effect.suspend(() =>
        Effect.flatMap(limiter.takeAnonymous(countedAs(request.clientAddress)), (taken) =>
          exchangeOf(request, request_id, taken, null)
        )
      )

    /** Answers a caller without a valid key, whether or not a token was left. */
    const answerStranger = (exchange: Exchange): Effect.Effect<EdgeResponse> => {
      const { rate, request } = exchange
      const selected = Gate.organisationSelected(request)
      if (selected !== undefined) return Effect.succeed(refuse(settings, exchange, selected))
      if (!rate.taken.allowed && !probe.isWatched(request.path)) {
        return Effect.succeed(throttled(settings, exchange, rate.taken))
      }
      if (isPreflight(settings.corsOrigins, request)) {
        const allow = served.routes(request.path)?.routes.allow ?? ["GET", "HEAD"]
        return Effect.succeed(withoutContent(settings, exchange, preflightHeaders(allow)))
      }
      return open(exchange) ?? Effect.succeed(refuse(settings, exchange, Gate.unauthorized))
    }

    const anonymous = (request: EdgeRequest, request_id: string): Effect.Effect<EdgeResponse> => {
      const exchange = ofStranger(request, request_id)
      return probe.answer(request, exchange) ?? Effect.flatMap(exchange, answerStranger)
    }

    const needsNoKey = (request: EdgeRequest): boolean =>
      probe.isWatched(request.path) ||
      isOutside(served, request.path) ||
      request.headers["x-org-slug"] !== undefined ||
      isPreflight(settings.corsOrigins, request)

    const recognised = (request: EdgeRequest, request_id: string, known: Authenticated): Effect.Effect<EdgeResponse> =>
      Effect.flatMap(limiter.take(known.organisation.id), (taken) =>
        Effect.flatMap(exchangeOf(request, request_id, taken, known.organisation.id), (exchange) => {
          if (!taken.allowed) return Effect.succeed(throttled(settings, exchange, taken))
          const operation = authenticated(exchange, callerOf(known, request_id), known.key.generation)
          // The refusal carries the rate limit's headers of the bucket that the request drew on.
          return guarded(operation, request, request_id, Effect.succeed(exchange))
        })
      )

    /** Looks a key up: a token of the client's address pays for it, and is given back when the key is valid. */
    const lookedUp = Effect.fnUntraced(function* (request: EdgeRequest, request_id: string, bearer: string) {
      const exchange = yield* ofStranger(request, request_id)
      const paid = exchange.rate.taken.allowed
      if (!paid && !(yield* authentication.wasValid(bearer))) return yield* answerStranger(exchange)
      const answered = Effect.flatMap(authentication.lookUp(bearer), (known) => {
        if (known === undefined) return answerStranger(exchange)
        const paidBack = paid ? limiter.giveBackAnonymous(countedAs(request.clientAddress)) : Effect.void
        return Effect.andThen(paidBack, recognised(request, request_id, known))
      })
      return yield* guarded(answered, request, request_id, Effect.succeed(exchange))
    })

    const answerTo = (request: EdgeRequest, request_id: string): Effect.Effect<EdgeResponse> => {
      const notice = told(request, request_id)
      if (notice !== undefined) return notice
      const bearer = needsNoKey(request) ? undefined : Gate.bearerOf(request)
      if (bearer === undefined) return anonymous(request, request_id)
      return Effect.flatMap(authentication.recall(bearer), (known) => {
        if (known !== undefined) return recognised(request, request_id, known)
        if (!isWellFormed(bearer)) return anonymous(request, request_id)
        // A key that another request is looking up right now is waited for, and costs nothing if it is valid.
        const asked = authentication.joining(bearer)
        if (asked === undefined) return lookedUp(request, request_id, bearer)
        return Effect.flatMap(asked, (found) =>
          found === undefined ? anonymous(request, request_id) : recognised(request, request_id, found)
        )
      })
    }

    /** Logs an unexpected failure with its cause, and answers without it. */
    const guarded = (
      effect: Effect.Effect<EdgeResponse>,
      request: EdgeRequest,
      request_id: string,
      exchange: Effect.Effect<Exchange>
    ): Effect.Effect<EdgeResponse> =>
      Effect.catchCause(effect, (cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : tell(cause).pipe(
              Effect.annotateLogs({
                request_id,
                method: request.method,
                path: loggedPath(served.routes(request.path))
              }),
              Effect.andThen(exchange),
              Effect.map((known) => refuse(settings, known, problemOfBreakage(cause)))
            )
      )

    const answering = logged((request, request_id) =>
      guarded(answerTo(request, request_id), request, request_id, ofStranger(request, request_id))
    )

    const handle: Handle = (request) =>
      Effect.flatMap(
        Effect.suspend(() => {
          const given = Gate.callersRequestId(request)
          return given === undefined ? tokens.id("request") : Effect.succeed(given)
        }),
        (request_id) => answering(request, request_id)
      )

    const unreadable: Unreadable = (clientAddress, problem) => {
      const refused = logged((request, request_id) =>
        Effect.map(ofStranger(request, request_id), (exchange) => ({
          ...refuse(settings, exchange, problem),
          close: true
        }))
      )
      return Effect.flatMap(tokens.id("request"), (request_id) => refused(unread(clientAddress), request_id))
    }

    return { handle, unreadable }
  })
