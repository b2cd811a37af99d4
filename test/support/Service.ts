import { Clock, Effect, Layer, Logger, ManagedRuntime, Option, Redacted, Scope } from "effect"
import * as EncryptionKeys from "../../src/adapters/crypto/EncryptionKeys.ts"
import * as Tokens from "../../src/adapters/crypto/Tokens.ts"
import type { Handle } from "../../src/adapters/http/pipeline/Edge.ts"
import { type EdgeSettings, Settings } from "../../src/adapters/http/pipeline/Settings.ts"
import { HttpService } from "../../src/adapters/http/Service.ts"
import { type Access, AccessLog } from "../../src/adapters/http/server/AccessLog.ts"
import type { Documents } from "../../src/adapters/http/server/Documents.ts"
import { toFetch } from "../../src/adapters/http/server/Fetch.ts"
import * as NodeServer from "../../src/adapters/http/server/NodeServer.ts"
import * as RateLimiter from "../../src/adapters/memory/access/RateLimiter.ts"
import * as DonorPages from "../../src/adapters/pages/DonorPages.ts"
import { type ChosenPages, PageSettings } from "../../src/adapters/pages/PageSettings.ts"
import * as StatementMarkup from "../../src/adapters/processors/bank/StatementMarkup.ts"
import * as Processors from "../../src/adapters/processors/Processors.ts"
import * as AddressGuard from "../../src/adapters/webhooks/AddressGuard.ts"
import { useCases } from "../../src/app/Application.ts"
import type { BucketSize } from "../../src/domain/access/RateLimit.ts"
import { contractBucket } from "../../src/domain/access/RateLimit.ts"
import { type RegimeBook, shippedRegimes } from "../../src/domain/compliance/RegimeBook.ts"
import { InstallationRegimes, Readiness, type ReadinessChecks } from "../../src/ports.ts"
import { type Answer, answerOf, assertLaws } from "./Answer.ts"
import { assertDeclared, operationFor } from "./Declaration.ts"
import { type Faults, makeFaults, withFaults } from "./Faults.ts"
import { type ManualClock, makeManualClock } from "./ManualClock.ts"
import type { StoresLayer } from "./Stores.ts"

/** Names that resolve; every other does not. */
const names: Readonly<Record<string, ReadonlyArray<string>>> = {
  "hooks.example.org": ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"],
  "inside.example.org": ["10.0.0.5"],
  "mixed.example.org": ["93.184.216.34", "169.254.169.254"]
}

const resolve = (hostname: string): Promise<ReadonlyArray<string>> => {
  const answers = names[hostname]
  return answers === undefined ? Promise.reject(new Error("ENOTFOUND")) : Promise.resolve(answers)
}

const ring = Redacted.make(`test:${Buffer.alloc(32, 7).toString("base64")}`)

const crypto = Layer.merge(EncryptionKeys.layerSecretBox, EncryptionKeys.layerMacs).pipe(
  Layer.provideMerge(EncryptionKeys.layer({ keys: Option.some(ring), folder: Option.none() }).pipe(Layer.orDie)),
  Layer.merge(Layer.merge(StatementMarkup.layer, Tokens.layer))
)

/** How a service under test is set up. */
export interface Options {
  readonly stores: StoresLayer
  readonly settings?: Partial<EdgeSettings>
  readonly bucket?: BucketSize
  readonly documents?: Documents
  /** The payment processors; the test processor alone when absent. */
  readonly processors?: ReturnType<typeof Processors.layer>
  /** The needs that the probe finds. It is off when absent. */
  readonly readiness?: Effect.Effect<ReadinessChecks>
  readonly pages?: Partial<ChosenPages>
  /** The disclosure regimes; those that are shipped when absent. */
  readonly regimes?: RegimeBook
  readonly accessLog?: (access: Access) => Effect.Effect<void>
}

const settingsOf = (options: Options): EdgeSettings => ({
  apiBaseUrl: "https://api.almoner.test",
  corsOrigins: [],
  version: "1.2.3",
  ...options.settings
})

/** 2026-01-15T02:00:00.000Z: the afternoon of the same day in Sydney. */
export const start = Date.UTC(2026, 0, 15, 2)

/** The whole service over some stores, with a clock, faults and logs that belong to the test. */
const layerOf = (options: Options, clock: ManualClock, faults: Faults, logs: Array<string>) => {
  const logger = Logger.make<unknown, void>((entry) => {
    logs.push(Logger.formatJson.log(entry))
  })
  const outside = Layer.mergeAll(
    AddressGuard.layerWith(resolve),
    RateLimiter.layer(options.bucket === undefined ? {} : { size: options.bucket }),
    Layer.succeed(Settings, settingsOf(options)),
    Layer.succeed(Readiness, options.readiness),
    Layer.succeed(InstallationRegimes, options.regimes ?? shippedRegimes),
    Layer.succeed(AccessLog, options.accessLog)
  )
  return HttpService.layer(options.documents ?? new Map()).pipe(
    Layer.provide(DonorPages.layer),
    Layer.provide(Layer.succeed(PageSettings, { previews: false, stripeSources: [], ...options.pages })),
    Layer.provideMerge(useCases),
    Layer.provideMerge(options.processors ?? Processors.layer()),
    Layer.provideMerge(withFaults(options.stores, faults)),
    Layer.provideMerge(Layer.merge(crypto, outside)),
    Layer.provideMerge(Layer.merge(Layer.succeed(Clock.Clock, clock), Logger.layer([logger])))
  )
}

export type Parts = Layer.Success<ReturnType<typeof layerOf>>

/** The parts of a request beside its method and path. */
export interface RequestParts {
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  /** Sent as it is, with no content type but the one in `headers`. */
  readonly body?: string | Uint8Array | ReadableStream
}

/** Requests of one caller, each answer held to its operation's declaration. Paths are those under `/api/v1`. */
export interface Client {
  request(method: string, path: string, sent?: RequestParts): Promise<Answer>
  get(path: string, headers?: RequestParts["headers"]): Promise<Answer>
  post(path: string, json?: unknown, headers?: RequestParts["headers"]): Promise<Answer>
  patch(path: string, json?: unknown, headers?: RequestParts["headers"]): Promise<Answer>
  delete(path: string, headers?: RequestParts["headers"]): Promise<Answer>
}

/** A whole service that runs in this process. */
export interface Service {
  readonly clock: ManualClock
  readonly faults: Faults
  /** Everything that was logged, as JSON lines. */
  readonly logs: Array<string>
  readonly settings: EdgeSettings
  readonly bucket: BucketSize
  /** Milliseconds that pass before each request: 10 by default, so that no bucket runs dry. */
  pace: number
  run<A, E>(effect: Effect.Effect<A, E, Parts>): Promise<A>
  /** Sends a request to any path and holds the answer to the laws of every answer. */
  call(method: string, target: string, sent?: RequestParts): Promise<Answer>
  /** Sends a request through another pipeline than the service's own. */
  callOf(handle: Handle, method: string, target: string, sent?: RequestParts): Promise<Answer>
  /** A caller with a key, or without one. */
  as(key?: string): Client
  /** Listens on a port of loopback until the service is stopped. */
  listen(options?: Partial<NodeServer.NodeServerOptions>): Promise<number>
  stop(): Promise<void>
}

/** Header by which a test says what client address a request comes from. */
export const addressHeader = "x-test-address"

const initOf = (method: string, { body, headers, json, key }: RequestParts): RequestInit & { duplex: "half" } => {
  const all = new Headers({ ...headers })
  if (key !== undefined) all.set("authorization", `Bearer ${key}`)
  if (json !== undefined && !all.has("content-type")) all.set("content-type", "application/json")
  const text = json === undefined ? body : JSON.stringify(json)
  return { method, headers: all, duplex: "half", ...(text === undefined ? {} : { body: bytesOf(text) }) }
}

/** A string would make `Request` add a content type. */
const bytesOf = (body: string | Uint8Array | ReadableStream) =>
  typeof body === "string" ? Buffer.from(body, "utf8") : body instanceof Uint8Array ? Buffer.from(body) : body

const clientOf = (call: Service["call"], key: string | undefined): Client => {
  const owned = key === undefined ? {} : { key }
  const request: Client["request"] = async (method, path, sent) => {
    const answer = await call(method, `/api/v1${path}`, { ...owned, ...sent })
    const [bare = ""] = path.split("?")
    const operation = operationFor(method, bare)
    if (operation !== undefined && answer.bytes.byteLength > 0) assertDeclared(operation, answer)
    return answer
  }
  return {
    request,
    get: (path, headers = {}) => request("GET", path, { headers }),
    post: (path, json, headers = {}) => request("POST", path, { json, headers }),
    patch: (path, json, headers = {}) => request("PATCH", path, { json, headers }),
    delete: (path, headers = {}) => request("DELETE", path, { headers })
  }
}

export const startService = async (options: Options): Promise<Service> => {
  const clock = makeManualClock(start)
  const faults = makeFaults()
  const logs: Array<string> = []
  const settings = settingsOf(options)
  const bucket = options.bucket ?? contractBucket
  const runtime = ManagedRuntime.make(layerOf(options, clock, faults, logs))
  const scope = Scope.makeUnsafe()
  const context = await runtime.context()
  const { handle } = await runtime.runPromise(HttpService)

  const callOf: Service["callOf"] = async (pipeline, method, target, sent = {}) => {
    clock.advance(service.pace)
    const timed: Handle = (request) => Effect.provideContext(pipeline(request), context)
    const respond = toFetch(timed, (request) => request.headers.get(addressHeader) ?? "192.0.2.1")
    const request = new Request(`http://localhost:1${target}`, initOf(method, sent))
    const response = await respond(request)
    const answer = answerOf(response.status, response.headers, new Uint8Array(await response.arrayBuffer()))
    const sentRequestId = request.headers.get("x-request-id") ?? undefined
    const isOutside = !target.startsWith("/api/v1")
    assertLaws(answer, { ...bucket, now: clock.now, apiBaseUrl: settings.apiBaseUrl, sentRequestId, isOutside })
    return answer
  }

  const service: Service = {
    clock,
    faults,
    logs,
    settings,
    bucket,
    pace: 10,
    run: (effect) => runtime.runPromise(effect),
    call: (method, target, sent) => callOf(handle, method, target, sent),
    callOf,
    as: (key) => clientOf(service.call, key),
    listen: async (given = {}) => {
      const server = NodeServer.layer({ port: 0, host: "127.0.0.1", drainTimeoutMillis: 200, ...given })
      const built = await runtime.runPromise(Layer.buildWithScope(server, scope))
      return (await Effect.runPromise(Effect.provideContext(NodeServer.NodeServer, built))).port
    },
    stop: async () => {
      await Effect.runPromise(Scope.close(scope, Effect.runSync(Effect.exit(Effect.void))))
      await runtime.dispose()
    }
  }
  return service
}
