import { Clock, Context, DateTime, Effect, Layer, Logger, ManagedRuntime, Option, Redacted } from "effect"
import * as EncryptionKeys from "../../src/adapters/crypto/EncryptionKeys.ts"
import * as Tokens from "../../src/adapters/crypto/Tokens.ts"
import type { Handle } from "../../src/adapters/http/pipeline/Edge.ts"
import { Settings } from "../../src/adapters/http/pipeline/Settings.ts"
import { HttpService } from "../../src/adapters/http/Service.ts"
import { AccessLog } from "../../src/adapters/http/server/AccessLog.ts"
import { toFetch } from "../../src/adapters/http/server/Fetch.ts"
import * as RateLimiter from "../../src/adapters/memory/access/RateLimiter.ts"
import * as StatementMarkup from "../../src/adapters/processors/bank/StatementMarkup.ts"
import * as Processors from "../../src/adapters/processors/Processors.ts"
import * as AddressGuard from "../../src/adapters/webhooks/AddressGuard.ts"
import { useCases } from "../../src/app/Application.ts"
import type { TestNotice } from "../../src/domain/payments/TestNotice.ts"
import { CardGuardStore, Readiness, TestBank } from "../../src/ports.ts"
import { changePort } from "../support/ChangePort.ts"
import type { StorePorts, StoresLayer } from "../support/Stores.ts"
import { law } from "./DisclosureLaw.ts"
import { type Points, watchedPorts, watchedProcessors } from "./Points.ts"
import { withShortLeases } from "./ShortLeases.ts"

// The service as the crash tests have it: over any stores, with a point before each call of a store or a processor. It is
// bundled into a process of its own, so nothing here may load the test runner.

const ring = Redacted.make(`crash:${Buffer.alloc(32, 9).toString("base64")}`)

const crypto = Layer.merge(EncryptionKeys.layerSecretBox, EncryptionKeys.layerMacs).pipe(
  Layer.provideMerge(EncryptionKeys.layer({ keys: Option.some(ring), folder: Option.none() }).pipe(Layer.orDie)),
  Layer.merge(Layer.merge(StatementMarkup.layer, Tokens.layer))
)

const outside = Layer.mergeAll(
  AddressGuard.layerWith(() => Promise.reject(new Error("ENOTFOUND"))),
  RateLimiter.layer({ size: { perSecond: 100_000, burst: 100_000 } }),
  Layer.succeed(Settings, { apiBaseUrl: "https://api.almoner.test", corsOrigins: [], version: "1.2.3" }),
  Layer.succeed(Readiness, undefined),
  Layer.succeed(AccessLog, undefined)
)

/** The stores without points, for what the harness reads and moves. */
class Raw extends Context.Service<Raw, Context.Context<StorePorts>>()("almoner/test/Raw") {}

/** What the simulated bank is to tell next. */
export interface NextNotice {
  /** The notice that is due; none where it is silent. */
  next: TestNotice | null
}

/**
 * The simulated bank by Effect's clock, on every kind of stores, so that a test can let time pass there. It does nothing by
 * itself, and sends the notices that a life has it send: the stores would find those by their own clocks, which cannot be set.
 */
const byOurClock = (stores: StoresLayer, telling: NextNotice): StoresLayer =>
  changePort(TestBank, () => ({
    now: DateTime.now,
    due: () => Effect.succeed([]),
    claimNotices: () =>
      Effect.sync(() => {
        const { next } = telling
        telling.next = null
        return next === null ? [] : [next]
      })
  })).pipe(Layer.provideMerge(stores))

/**
 * Hundreds of lives follow each other in minutes, and the cards of many are declined: every guard is found as it begins, so
 * that none closes.
 */
const withOpenCards = (stores: StoresLayer): StoresLayer =>
  changePort(CardGuardStore, ({ findForUpdate }) => ({
    findForUpdate: (untouched) => Effect.as(findForUpdate(untouched), untouched)
  })).pipe(Layer.provideMerge(stores))

/** A clock that can be set ahead. */
export interface Ahead {
  /** Milliseconds before the real time. */
  millis: number
}

const clockOf = (ahead: Ahead): Effect.Effect<Clock.Clock> =>
  Effect.clockWith((real) => {
    const millis = () => real.currentTimeMillisUnsafe() + ahead.millis
    const nanos = () => real.currentTimeNanosUnsafe() + BigInt(ahead.millis) * 1_000_000n
    const clock: Clock.Clock = {
      ...real,
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: real.monotonicTimeNanos,
      sleep: (duration) => real.sleep(duration)
    }
    return Effect.succeed(clock)
  })

interface Driven {
  readonly points: Points
  readonly ahead: Ahead
  readonly telling: NextNotice
}

const layerOf = (stores: StoresLayer, { ahead, points, telling }: Driven, log: (line: string) => void) => {
  const bare = withOpenCards(withShortLeases(byOurClock(stores, telling)))
  const raw = Layer.effect(Raw, Effect.context<StorePorts>()).pipe(Layer.provide(bare))
  const logger = Logger.make<unknown, void>((entry) => {
    log(Logger.formatJson.log(entry))
  })
  return HttpService.layer(new Map()).pipe(
    Layer.provideMerge(useCases),
    Layer.provideMerge(watchedProcessors(points, Processors.layer().pipe(Layer.provide(bare)))),
    Layer.provideMerge(Layer.merge(watchedPorts(points, bare), raw)),
    Layer.provideMerge(Layer.mergeAll(crypto, outside, law)),
    Layer.provideMerge(Layer.merge(Layer.effect(Clock.Clock, clockOf(ahead)), Logger.layer([logger])))
  )
}

type Parts = Layer.Success<ReturnType<typeof layerOf>>

/** A service with points, in this process. */
export interface CrashService {
  readonly points: Points
  readonly ahead: Ahead
  readonly telling: NextNotice
  run<A, E>(effect: Effect.Effect<A, E, Parts>): Promise<A>
  /** The same over the stores without points. */
  raw<A, E>(effect: Effect.Effect<A, E, StorePorts>): Promise<A>
  /** A request of REST, as an effect with points. */
  readonly send: (key: string, path: string, body: unknown, idempotencyKey: string) => Promise<Response>
  stop(): Promise<void>
}

/** Starts a service with points over some stores; `log` gets everything that is logged, as JSON lines. */
export const startCrashService = async (
  stores: StoresLayer,
  points: Points,
  log: (line: string) => void
): Promise<CrashService> => {
  const ahead: Ahead = { millis: 0 }
  const telling: NextNotice = { next: null }
  const runtime = ManagedRuntime.make(layerOf(stores, { points, ahead, telling }, log))
  const context = await runtime.context()
  const { handle } = Context.get(context, HttpService)
  const timed: Handle = (request) => Effect.provideContext(handle(request), context)
  const respond = toFetch(timed, () => "192.0.2.1")
  return {
    points,
    ahead,
    telling,
    run: (effect) => runtime.runPromise(effect),
    raw: (effect) => runtime.runPromise(Effect.flatMap(Raw, (stored) => Effect.provideContext(effect, stored))),
    send: (key, path, body, idempotencyKey) => {
      const headers = {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "idempotency-key": idempotencyKey
      }
      const request = new Request(`http://localhost:1/api/v1${path}`, {
        method: "POST",
        headers,
        body: JSON.stringify(body)
      })
      return respond(request)
    },
    stop: () => runtime.dispose()
  }
}
