import { Duration, Effect, Exit } from "effect"
import { makeMonotonic } from "../../../app/kernel/time/Monotonic.ts"
import { Readiness, type ReadinessChecks, type ReadinessState } from "../../../ports/kernel/Readiness.ts"
import { answer, type Exchange, jsonType } from "../pipeline/Answers.ts"
import type { EdgeRequest, EdgeResponse } from "../pipeline/Exchange.ts"
import type { EdgeSettings } from "../pipeline/Settings.ts"

/** The path at which the process reports that it is up. */
export const healthPath = "/api/v1/health"

/** The path at which an orchestrator asks whether to send requests. It is no operation of the API. */
export const readyPath = "/ready"

/**
 * How long a result is kept, milliseconds: however often the path is asked, the database is asked once in that time.
 */
const heldMillis = 1_000

/** The result of a check that failed unexpectedly. */
const broken: ReadinessChecks = { database: "failed", migrations: "unknown", key_ring: "unknown" }

const isOk = (standing: ReadinessState): boolean => standing === "ok"

const responseOf = (settings: EdgeSettings, exchange: Exchange, needs: ReadinessChecks): EdgeResponse => {
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

/** Runs one check at a time and keeps its result for a second: requests in the meantime share it. */
const sharing = Effect.fnUntraced(function* (look: Effect.Effect<ReadinessChecks>) {
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

/** Answers the orchestrator's probes: 200 while requests can be served, and 503 with the obstacle. */
export interface Probe {
  /** Whether the probe answers at this path. */
  readonly isAt: (path: string) => boolean
  /**
   * Whether a path is asked by whatever watches the service: it is answered even when a flood has emptied the bucket of
   * its address.
   */
  readonly isWatched: (path: string) => boolean
  /** The answer to a request; undefined where the request is not a read. */
  readonly answer: (request: EdgeRequest, exchange: Effect.Effect<Exchange>) => Effect.Effect<EdgeResponse> | undefined
}

/** Makes the probe from {@link Readiness}. */
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
