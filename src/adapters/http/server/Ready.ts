import { Duration, Effect, Exit } from "effect"
import { makeMonotonic } from "../../../app/kernel/steps/Monotonic.ts"
import { type Needs, Readiness, type Standing } from "../../../ports/kernel/Readiness.ts"
import { answer, type Exchange, jsonType } from "../pipeline/Answers.ts"
import type { EdgeRequest, EdgeResponse } from "../pipeline/Exchange.ts"
import type { EdgeSettings } from "../pipeline/Settings.ts"

/** Where the process is asked whether it is up. */
export const healthPath = "/api/v1/health"

/** Where an orchestrator asks whether to send requests. It is no operation of the API. */
export const readyPath = "/ready"

/** How long what was seen holds: however often it is asked, the database is asked once in that time. Milliseconds. */
const heldMillis = 1_000

/** What cannot be looked at is not there. */
const broken: Needs = { database: "failed", migrations: "unknown", key_ring: "unknown" }

const isOk = (standing: Standing): boolean => standing === "ok"

const responseOf = (settings: EdgeSettings, exchange: Exchange, needs: Needs): EdgeResponse => {
  const checks = { ...needs, server: exchange.request.isDraining?.() === true ? "draining" : "ok" }
  const isReady = Object.values(needs).every(isOk) && checks.server === "ok"
  const body = { status: isReady ? "ready" : "unavailable", checks, request_id: exchange.request_id }
  return answer(
    settings,
    exchange,
    { status: isReady ? 200 : 503, contentType: jsonType, body: JSON.stringify(body) },
    isReady ? {} : { "Retry-After": "1" }
  )
}

/** Looks once at a time, and lets what was seen hold for a second: who asks meanwhile shares it. */
const sharing = Effect.fnUntraced(function* (look: Effect.Effect<Needs>) {
  const now = yield* makeMonotonic
  let isLooking = false
  let heldUntil = Number.NEGATIVE_INFINITY
  const looked = Effect.onExit(look, (exit) =>
    Effect.sync(() => {
      isLooking = false
      heldUntil = Exit.hasInterrupts(exit) ? Number.NEGATIVE_INFINITY : now() + heldMillis
    })
  )
  const [latest, forget] = yield* Effect.cachedInvalidateWithTTL(looked, Duration.infinity)
  return Effect.suspend(() => {
    if (isLooking || now() < heldUntil) return latest
    isLooking = true
    return Effect.andThen(forget, latest)
  })
})

const isReading = ({ headers, method }: EdgeRequest): boolean =>
  (method === "GET" || method === "HEAD") && headers["x-org-slug"] === undefined

/** How an orchestrator's question is answered: 200 while requests can be served, and 503 with what stands in the way. */
export interface Probe {
  /** Whether something is asked there, and somebody looks. */
  readonly isAt: (path: string) => boolean
  /** Whether it is what watches the service that asks there: it sees the service through a flood from its address. */
  readonly isWatched: (path: string) => boolean
  /** The answer to a request, undefined where it is none that reads it. */
  readonly answer: (request: EdgeRequest, exchange: Effect.Effect<Exchange>) => Effect.Effect<EdgeResponse> | undefined
}

/** Makes it of what looks. */
export const makeProbe = Effect.fnUntraced(function* (settings: EdgeSettings) {
  const look = yield* Readiness
  if (look === undefined) {
    const none: Probe = { isAt: () => false, isWatched: (path) => path === healthPath, answer: () => undefined }
    return none
  }
  const latest = yield* sharing(Effect.catchDefect(look, () => Effect.succeed(broken)))
  const probe: Probe = {
    isAt: (path) => path === readyPath,
    isWatched: (path) => path === healthPath || path === readyPath,
    answer: (request, exchange) =>
      request.path === readyPath && isReading(request)
        ? Effect.flatMap(exchange, (known) => Effect.map(latest, (needs) => responseOf(settings, known, needs)))
        : undefined
  }
  return probe
})
