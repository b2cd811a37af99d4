import { Clock, Effect, Layer, Result } from "effect"
import type { Dispatcher } from "undici"
import { Limits } from "../../domain/kernel/Limits.ts"
import { judgeAnswers, judgeUrl, type ParsedTarget } from "../../domain/outbox/WebhookAddress.ts"
import { type WebhookOutcome, type WebhookRequest, WebhookTransport } from "../../ports/outbox/WebhookTransport.ts"
import { type Connection, Connections } from "./Connections.ts"
import { Names } from "./Names.ts"
import { type Resolve, resolveDns } from "./Resolver.ts"

/** The handler of an exchange, whatever the version of undici. */
interface ExchangeHandler {
  onRequestStart(): void
  onResponseStart(status: number, headers: Readonly<Record<string, string | Array<string> | undefined>>): void
  onResponseData(chunk: Buffer): void
  onResponseEnd(): void
  onResponseError(error: Error): void
}

/** Headers as undici 6 has them: names and values in turns. The first of a name counts. */
const headersOf = (raw: ReadonlyArray<Buffer>): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = {}
  for (let index = 0; index + 1 < raw.length; index += 2) {
    headers[String(raw[index]?.toString("latin1")).toLowerCase()] ??= String(raw[index + 1]?.toString("latin1"))
  }
  return headers
}

/** A handler that undici 7 and 8 call by their names, and undici 6 by its own. */
class AnyUndici implements Dispatcher.DispatchHandler {
  private readonly told: ExchangeHandler

  constructor(told: ExchangeHandler) {
    this.told = told
  }

  onRequestStart(): void {
    this.told.onRequestStart()
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | Array<string> | undefined>>
  ): void {
    this.told.onResponseStart(status, headers)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.told.onResponseData(chunk)
  }

  onResponseEnd(): void {
    this.told.onResponseEnd()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.told.onResponseError(error)
  }

  onConnect(): void {
    this.told.onRequestStart()
  }

  onHeaders(status: number, headers: ReadonlyArray<Buffer>): boolean {
    this.told.onResponseStart(status, headersOf(headers))
    return true
  }

  onData(chunk: Buffer): boolean {
    this.told.onResponseData(chunk)
    return true
  }

  onComplete(): void {
    this.told.onResponseEnd()
  }

  onError(error: Error): void {
    this.told.onResponseError(error)
  }
}

/** Bytes of an answer that are read before its connection is closed, so that short answers can keep theirs. */
const readLimitBytes = 16_384

// `stream` holds back a character that was cut in the middle instead of replacing it.
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true })

/** Collects the first bytes of an answer's body. */
class Excerpt {
  private readonly kept: Array<Uint8Array> = []
  private readBytes = 0

  /** Adds the next bytes; false when enough was read and the rest is not worth waiting for. */
  add(chunk: Uint8Array): boolean {
    const room = Limits.attemptExcerptBytes - this.readBytes
    if (room > 0) this.kept.push(Uint8Array.from(chunk.subarray(0, room)))
    this.readBytes += chunk.length
    return this.readBytes <= readLimitBytes
  }

  /** The excerpt as text, null when nothing came. */
  text(): string | null {
    if (this.kept.length === 0) return null
    // PostgreSQL's text holds no NUL.
    const text = decode(Buffer.concat(this.kept)).replaceAll("\u0000", "\ufffd")
    const bytes = Buffer.from(text)
    // A byte that is not UTF-8 becomes a replacement character of three bytes.
    return bytes.length <= Limits.attemptExcerptBytes ? text : decode(bytes.subarray(0, Limits.attemptExcerptBytes))
  }
}

/** How long one of several addresses may take to connect before the next is tried, milliseconds. */
const nextAddressMillis = 1_000

const retryAfterCharacters = 100

/** The parts of the transport that an exchange uses. */
export interface ExchangeContext {
  readonly connections: Connections
  readonly names: Names
  /** The one deadline over resolving, connecting, headers and body, milliseconds. */
  readonly timeoutMillis: number
  /** The monotonic clock by which exchanges begin, milliseconds. */
  readonly now: () => number
}

const connectionErrorOf = (error: NodeJS.ErrnoException, handshake: boolean): string => {
  if (error.code === "ETIMEDOUT") return "timeout"
  // A failed TCP connect names its system call; any other failure before the request was sent is the handshake's.
  return handshake && error.syscall !== "connect" ? "tls_failed" : "connection_failed"
}

/** One POST, from judging the address to the outcome; it settles exactly once. */
export class Exchange implements ExchangeHandler {
  private readonly request: WebhookRequest
  private readonly context: ExchangeContext
  private readonly resume: (outcome: WebhookOutcome) => void
  private readonly deadline: NodeJS.Timeout
  private nextAddress: NodeJS.Timeout | undefined
  private stopAsking: () => void = () => undefined
  private target: ParsedTarget | undefined
  private address = ""
  private untried: ReadonlyArray<string> = []
  private connection: Connection | undefined
  private settled = false
  private sent = false
  private status: number | null = null
  private retryAfter: string | null = null
  private readonly excerpt = new Excerpt()

  constructor(request: WebhookRequest, context: ExchangeContext, resume: (outcome: WebhookOutcome) => void) {
    this.request = request
    this.context = context
    this.resume = resume
    this.deadline = setTimeout(() => this.abandon("timeout"), Math.max(0, context.timeoutMillis - this.passedMillis()))
  }

  /** How much of the exchange is over, whoever held it up. */
  private passedMillis(): number {
    return this.context.now() - this.request.begun_millis
  }

  start() {
    const judged = judgeUrl(this.request.url, this.request.rules)
    if (Result.isFailure(judged)) return this.settle("address_refused")
    const target = judged.success
    this.target = target
    if (target.addresses !== null) return this.callFirst(target, target.addresses)
    this.stopAsking = this.context.names.ask(this.request.organisation_id, target.hostname, (addresses) =>
      this.judge(target, addresses)
    )
  }

  /** Ends the exchange without an outcome, since nobody waits for it any more. */
  cancel(): void {
    this.abandon("connection_failed")
  }

  /**
   * The last moment before a request is written. A process that was stopped for a while does what was on its way before its
   * timers, and would send what another worker has sent by now.
   */
  onRequestStart(): void {
    if (this.passedMillis() >= this.context.timeoutMillis) {
      this.abandon("timeout")
      // The client writes nothing of a request whose start was refused.
      throw new Error("the deadline passed before the request was written")
    }
    this.sent = true
    clearTimeout(this.nextAddress)
  }

  onResponseStart(status: number, headers: Readonly<Record<string, string | Array<string> | undefined>>): void {
    if (status < 200) return
    this.status = status
    const retryAfter = headers["retry-after"]
    const first = Array.isArray(retryAfter) ? retryAfter[0] : retryAfter
    this.retryAfter = first?.slice(0, retryAfterCharacters) ?? null
  }

  onResponseData(chunk: Buffer): void {
    if (!this.settled && !this.excerpt.add(chunk)) this.abandon("connection_failed")
  }

  onResponseEnd(): void {
    if (this.settled || this.connection === undefined) return
    this.context.connections.release(this.connection)
    this.settle("connection_failed")
  }

  onResponseError(error: Error) {
    if (this.settled || this.target === undefined) return
    const kept = this.connection?.kept ?? false
    this.drop()
    if (this.context.connections.closed) return this.settle("connection_failed")
    // A request that was sent may have been seen, and is not sent again within the attempt.
    const next = kept ? this.address : this.untried[0]
    if (!this.sent && next !== undefined) return this.call(this.target, next)
    this.settle(connectionErrorOf(error, this.target.secure && !this.sent))
  }

  private judge(target: ParsedTarget, answers: ReadonlyArray<string>) {
    if (this.settled) return
    if (this.context.connections.closed) return this.settle("connection_failed")
    const judged = judgeAnswers(target.hostname, answers, this.request.rules)
    // It is not told whether a name has no address or a refused one: it may be a name that only we can resolve.
    if (Result.isFailure(judged)) return this.settle("dns_failed")
    this.callFirst(target, judged.success)
  }

  private callFirst(target: ParsedTarget, addresses: ReadonlyArray<string>) {
    this.untried = addresses
    const first = this.context.connections.preferred(target, addresses)
    if (first === undefined || this.context.connections.closed) return this.settle("connection_failed")
    this.call(target, first)
  }

  private call(target: ParsedTarget, address: string) {
    this.address = address
    this.untried = this.untried.filter((untried) => untried !== address)
    const connection = this.context.connections.take(target, address)
    // Dropping the connection fails the request before it is sent, which moves on to the next address.
    if (this.untried.length > 0) this.nextAddress = setTimeout(() => this.drop(), nextAddressMillis)
    this.connection = connection
    if (!connection.kept) return this.dispatch(connection, target)
    // A kept connection may have been closed without our having read it yet. The client checks before it writes, but
    // that may be in this turn of the event loop, in which nothing more is read.
    setImmediate(() => {
      if (this.connection === connection) this.dispatch(connection, target)
    })
  }

  private dispatch(connection: Connection, target: ParsedTarget): void {
    const { body, headers } = this.request
    connection.client.dispatch({ method: "POST", path: target.path, headers, body }, new AnyUndici(this))
  }

  private drop(): void {
    clearTimeout(this.nextAddress)
    const connection = this.connection
    this.connection = undefined
    if (connection !== undefined) this.context.connections.discard(connection)
  }

  private abandon(unanswered: string): void {
    if (this.settled) return
    this.settle(unanswered)
    this.stopAsking()
    this.drop()
  }

  /**
   * Settles the exchange. An answer whose headers arrived counts by its status, however its body ended; `unanswered` is
   * the error where there is none.
   */
  private settle(unanswered: string): void {
    if (this.settled) return
    this.settled = true
    clearTimeout(this.deadline)
    clearTimeout(this.nextAddress)
    this.resume({
      response_status: this.status,
      response_excerpt: this.excerpt.text(),
      retry_after: this.retryAfter,
      error: this.status === null ? unanswered : null,
      duration_ms: Math.round(this.passedMillis())
    })
  }
}

/** The options of a transport. */
export interface TransportOptions {
  /** Looks host names up; by the hosts file and the name servers of the host when absent. */
  readonly resolve?: Resolve
  /** The one deadline over a whole exchange, milliseconds; {@link Limits.webhookTimeoutMillis} when absent. */
  readonly timeoutMillis?: number
  /** Kept connections without an exchange, over all receivers; 512 when absent, as many as a worker uses at most. */
  readonly idleConnections?: number
}

/** The connections and names of a transport. Closing them ends the exchanges that wait for them. */
const open = (options: TransportOptions) => {
  const connections = new Connections(options.idleConnections ?? 512)
  const names = new Names(options.resolve ?? resolveDns())
  const close = () => {
    const closed = connections.close()
    names.close()
    return closed
  }
  return { connections, names, close }
}

/**
 * Deliveries over HTTP/1.1 with your own options. An answer is decided when its headers arrive; its body is read for
 * the excerpt until it ends, exceeds what is worth reading, breaks off, or meets the deadline. Closing the layer's
 * scope ends look-ups and closes all connections; exchanges without an answer end as `connection_failed`.
 */
export const layerWith = (options: TransportOptions): Layer.Layer<WebhookTransport> =>
  Layer.effect(
    WebhookTransport,
    Effect.gen(function* () {
      const { connections, names } = yield* Effect.acquireRelease(
        Effect.sync(() => open(options)),
        ({ close }) => Effect.promise(close)
      )
      const clock = yield* Clock.Clock
      const context = {
        connections,
        names,
        now: () => Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000,
        timeoutMillis: options.timeoutMillis ?? Limits.webhookTimeoutMillis
      }
      return WebhookTransport.of({
        post: (request) =>
          Effect.callback((resume) => {
            const exchange = new Exchange(request, context, (outcome) => resume(Effect.succeed(outcome)))
            exchange.start()
            return Effect.sync(() => exchange.cancel())
          })
      })
    })
  )

/** Deliveries over HTTP/1.1. */
export const layer: Layer.Layer<WebhookTransport> = layerWith({})
