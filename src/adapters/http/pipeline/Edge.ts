import { Cause, Effect, Result } from "effect"
import { Authentication, callerOf } from "../../../app/access/Authentication.ts"
import type { KeyOwner } from "../../../app/access/key/KeyCache.ts"
import { type ApiKey, isWellFormed } from "../../../domain/access/ApiKey.ts"
import { countedAs } from "../../../domain/access/ClientAddress.ts"
import { priceOf, type TokenResult } from "../../../domain/access/RateLimit.ts"
import { idDigits } from "../../../domain/kernel/Ids.ts"
import { RateLimiter } from "../../../ports/access/RateLimiter.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { healthOf } from "../endpoints/access/meta.ts"
import { withAccessLog } from "../server/AccessLog.ts"
import type { Documents } from "../server/Documents.ts"
import { healthPath, isApiPath, makeOutside, makeProbe } from "../server/Outside.ts"
import {
  answer,
  type Exchange,
  jsonType,
  refuse,
  refuseFailure,
  refuseVerb,
  tooManyRequests,
  withoutContent
} from "./Answers.ts"
import { makeAnswerBudget, makeBodyBudget } from "./BodyMemory.ts"
import { makeBreakageLog, problemOfBreakage } from "./Breakage.ts"
import type { EdgeRequest, EdgeResponse } from "./Handler.ts"
import { makeNoticeEndpoint } from "./NoticeEndpoint.ts"
import { makeDispatch } from "./OperationDispatch.ts"
import type { Problem } from "./Problem.ts"
import * as Gate from "./RequestChecks.ts"
import { isPreflight, preflightHeaders } from "./RequestChecks.ts"
import { noQuery, type RouteMatch } from "./Routes.ts"
import { Settings } from "./Settings.ts"
import { Turns } from "./Turns.ts"

export interface ServedRoutes {
  readonly routes: (path: string) => RouteMatch | undefined
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

const idSegment = new RegExp(`^[a-z]+_[${idDigits}]{26}$`)

/** A path for the log. Ids, and paths that do not exist, are replaced: a caller may have written anything there. */
const loggedPath = (found: RouteMatch | undefined): string =>
  found === undefined
    ? "unknown"
    : found.routes.path.replaceAll(/:(\w+)/g, (placeholder, name: string) => {
        const given = found.params[name] ?? ""
        return idSegment.test(given) ? given : placeholder
      })

const isDocumentVerb = (method: string): boolean => method === "GET" || method === "HEAD"

const makeServices = Effect.fnUntraced(function* ({ documents, routes }: ServedRoutes) {
  const settings = yield* Settings
  const bodies = makeBodyBudget()
  const answers = makeAnswerBudget()
  const logBreakage = yield* makeBreakageLog
  return {
    routes,
    settings,
    logBreakage,
    authentication: yield* Authentication,
    limiter: yield* RateLimiter,
    tokens: yield* Tokens,
    answers,
    dispatch: yield* makeDispatch({ routes, bodies, answers, turns: new Turns() }),
    outside: yield* makeOutside(settings, documents, bodies),
    probe: yield* makeProbe(settings),
    answerNotice: yield* makeNoticeEndpoint({ bodies, logBreakage })
  } as const
})

type Services = Effect.Success<ReturnType<typeof makeServices>>

/** Whether a path is outside the API. One that is spelled differently may still be routed there. */
const isOutside = ({ routes }: Services, path: string): boolean => !isApiPath(path) && routes(path) === undefined

const exchangeOf = (
  { limiter }: Services,
  request: EdgeRequest,
  request_id: string,
  taken: TokenResult,
  organisation_id: string | null
): Effect.Effect<Exchange> =>
  Effect.clockWith((clock) => {
    const rate = { size: limiter.size, taken, now: clock.currentTimeMillisUnsafe() }
    return Effect.succeed({ request, request_id, organisation_id, rate })
  })

/** Answers health, and whatever is outside the API: without a key, under the bucket of the client's address. */
const answerOpen = (services: Services, exchange: Exchange): Effect.Effect<EdgeResponse> | undefined => {
  const { outside, probe, settings } = services
  const { method, path, query } = exchange.request
  if (path === healthPath) {
    if (!isDocumentVerb(method)) return Effect.succeed(refuseVerb(settings, exchange, ["GET", "HEAD"]))
    const parameters = noQuery(query)
    if (Result.isFailure(parameters)) return Effect.succeed(refuseFailure(settings, exchange, parameters.failure))
    const body = JSON.stringify(healthOf(settings.version, exchange.request_id))
    return Effect.succeed(answer(settings, exchange, { status: 200, contentType: jsonType, body }))
  }
  if (probe.isAt(path)) return Effect.succeed(refuseVerb(settings, exchange, ["GET", "HEAD"]))
  return isOutside(services, path) ? outside.answer(exchange) : undefined
}

/** Takes a token from the bucket of the client's address, when the effect is run. */
const anonymousExchange = (services: Services, request: EdgeRequest, request_id: string): Effect.Effect<Exchange> =>
  Effect.suspend(() =>
    Effect.flatMap(services.limiter.takeAnonymous(countedAs(request.clientAddress)), (taken) =>
      exchangeOf(services, request, request_id, taken, null)
    )
  )

/** Answers a caller without a valid key, whether or not a token was left. */
const answerStranger = (services: Services, exchange: Exchange): Effect.Effect<EdgeResponse> => {
  const { probe, routes, settings } = services
  const { rate, request } = exchange
  const selected = Gate.organisationSelected(request)
  if (selected !== undefined) return Effect.succeed(refuse(settings, exchange, selected))
  if (!rate.taken.allowed && !probe.isWatched(request.path)) {
    return Effect.succeed(services.outside.tooMany(exchange, tooManyRequests(settings, exchange, rate.taken)))
  }
  if (isPreflight(settings.corsOrigins, request)) {
    const allow = routes(request.path)?.routes.allow ?? ["GET", "HEAD"]
    return Effect.succeed(withoutContent(settings, exchange, preflightHeaders(allow)))
  }
  return answerOpen(services, exchange) ?? Effect.succeed(refuse(settings, exchange, Gate.unauthorized))
}

const answerAnonymous = (services: Services, request: EdgeRequest, request_id: string): Effect.Effect<EdgeResponse> => {
  const exchange = anonymousExchange(services, request, request_id)
  return (
    services.probe.answer(request, exchange) ??
    Effect.flatMap(exchange, (stranger) => answerStranger(services, stranger))
  )
}

const needsNoKey = (services: Services, request: EdgeRequest): boolean =>
  services.probe.isWatched(request.path) ||
  isOutside(services, request.path) ||
  request.headers["x-org-slug"] !== undefined ||
  isPreflight(services.settings.corsOrigins, request)

/** Logs an unexpected failure with its cause, and answers without it. */
const guarded = (
  { logBreakage, outside, routes, settings }: Services,
  effect: Effect.Effect<EdgeResponse>,
  request: EdgeRequest,
  request_id: string,
  exchange: Effect.Effect<Exchange>
): Effect.Effect<EdgeResponse> =>
  Effect.catchCause(effect, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.interrupt
      : logBreakage(cause).pipe(
          Effect.annotateLogs({ request_id, method: request.method, path: loggedPath(routes(request.path)) }),
          Effect.andThen(exchange),
          Effect.map((failed) => outside.broken(failed, refuse(settings, failed, problemOfBreakage(cause))))
        )
  )

/** Charges the organisation for a large answer, and lets the host count what of it is not read. */
const accounted = (
  { answers, limiter }: Services,
  organisation_id: string,
  response: EdgeResponse
): Effect.Effect<EdgeResponse> => {
  const price = priceOf(response.body.length)
  const held = { ...response, hold: (bytes: number) => answers.hold(organisation_id, bytes) }
  return price === 0 ? Effect.succeed(held) : Effect.as(limiter.charge(organisation_id, price), held)
}

/** Whether the bearer of a request still is the key that it was recognised by. */
const isStill = ({ authentication }: Services, request: EdgeRequest, { generation, id }: ApiKey) =>
  Effect.map(
    authentication.authenticate(Gate.bearerOf(request) ?? ""),
    (owner) => owner?.key.id === id && owner.key.generation === generation
  )

const answerCaller = (
  services: Services,
  request: EdgeRequest,
  request_id: string,
  caller: KeyOwner
): Effect.Effect<EdgeResponse> =>
  Effect.flatMap(services.limiter.take(caller.organisation.id), (taken) =>
    Effect.flatMap(exchangeOf(services, request, request_id, taken, caller.organisation.id), (exchange) => {
      if (!taken.allowed) return Effect.succeed(tooManyRequests(services.settings, exchange, taken))
      const operation = services.dispatch(exchange, callerOf(caller, request_id), {
        generation: caller.key.generation,
        isKeyValid: isStill(services, request, caller.key)
      })
      // The refusal carries the rate limit's headers of the bucket that the request drew on.
      const answered = guarded(services, operation, request, request_id, Effect.succeed(exchange))
      return Effect.flatMap(answered, (response) => accounted(services, caller.organisation.id, response))
    })
  )

/** Looks a key up: a token of the client's address pays for it, and is given back when the key is valid. */
const answerLookedUp = Effect.fnUntraced(function* (
  services: Services,
  request: EdgeRequest,
  request_id: string,
  bearer: string
) {
  const { authentication, limiter } = services
  const exchange = yield* anonymousExchange(services, request, request_id)
  const paid = exchange.rate.taken.allowed
  if (!paid && !(yield* authentication.wasValid(bearer))) return yield* answerStranger(services, exchange)
  const answered = Effect.flatMap(authentication.lookUp(bearer), (caller) => {
    if (caller === undefined) return answerStranger(services, exchange)
    const paidBack = paid ? limiter.giveBackAnonymous(countedAs(request.clientAddress)) : Effect.void
    return Effect.andThen(paidBack, answerCaller(services, request, request_id, caller))
  })
  return yield* guarded(services, answered, request, request_id, Effect.succeed(exchange))
})

const answerTo = (services: Services, request: EdgeRequest, request_id: string): Effect.Effect<EdgeResponse> => {
  const { answerNotice, authentication } = services
  const notice = answerNotice(request, request_id)
  if (notice !== undefined) return notice
  const bearer = needsNoKey(services, request) ? undefined : Gate.bearerOf(request)
  if (bearer === undefined) return answerAnonymous(services, request, request_id)
  return Effect.flatMap(authentication.recall(bearer), (remembered) => {
    if (remembered !== undefined) return answerCaller(services, request, request_id, remembered)
    if (!isWellFormed(bearer)) return answerAnonymous(services, request, request_id)
    // A key that another request is looking up right now is waited for, and costs nothing if it is valid.
    const lookUp = authentication.joining(bearer)
    if (lookUp === undefined) return answerLookedUp(services, request, request_id, bearer)
    return Effect.flatMap(lookUp, (caller) =>
      caller === undefined
        ? answerAnonymous(services, request, request_id)
        : answerCaller(services, request, request_id, caller)
    )
  })
}

const requestIdOf = ({ tokens }: Services, request: EdgeRequest): Effect.Effect<string> =>
  Effect.suspend(() => {
    const given = Gate.callersRequestId(request)
    return given === undefined ? tokens.id("request") : Effect.succeed(given)
  })

const refuseUnreadable = (services: Services, request: EdgeRequest, request_id: string, problem: Problem) =>
  Effect.map(anonymousExchange(services, request, request_id), (exchange) => ({
    ...refuse(services.settings, exchange, problem),
    close: true
  }))

/** Builds the pipeline with the contract's order of checks. decisions, section 2. */
export const make = Effect.fnUntraced(function* (served: ServedRoutes) {
  const services = yield* makeServices(served)
  const logged = yield* withAccessLog(served)
  const answering = logged((request, request_id) =>
    guarded(
      services,
      answerTo(services, request, request_id),
      request,
      request_id,
      anonymousExchange(services, request, request_id)
    )
  )
  const handle: Handle = (request) =>
    Effect.flatMap(requestIdOf(services, request), (request_id) => answering(request, request_id))
  const unreadable: Unreadable = (clientAddress, problem) => {
    const refused = logged((request, request_id) => refuseUnreadable(services, request, request_id, problem))
    return Effect.flatMap(services.tokens.id("request"), (request_id) => refused(unread(clientAddress), request_id))
  }
  return { handle, unreadable } as const
})
