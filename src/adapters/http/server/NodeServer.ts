import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { Context, Effect, Layer, Schema, type Scope } from "effect"
import { roomy } from "../../../app/kernel/reaction/ProgramContext.ts"
import { type ClientAddresses, clientAddresses, noProxies, type Proxies } from "../../../domain/access/ClientAddress.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import type { Unreadable } from "../pipeline/Edge.ts"
import {
  bodyTimeoutMillis as bodyTimeoutDefaultMillis,
  type EdgeRequest,
  type EdgeResponse
} from "../pipeline/Handler.ts"
import type { Problem } from "../pipeline/Problem.ts"
import { HttpService } from "../Service.ts"
import { type ConnectionCaps, makeConnections } from "./Connections.ts"
import {
  headersOf,
  isBodyless,
  readNodeBody,
  send,
  setHead,
  type WriteHead,
  watchUnread,
  writeHead
} from "./NodeExchange.ts"

/** The address to listen on, and the time limits of clients, milliseconds. */
export interface NodeServerOptions {
  readonly port: number
  readonly host: string
  /** For all headers of a request. */
  readonly headersTimeoutMillis?: number
  /** For the body of a request. */
  readonly bodyTimeoutMillis?: number
  /** For a kept connection without a request. */
  readonly idleTimeoutMillis?: number
  /** For requests in flight when the server stops. */
  readonly drainTimeoutMillis?: number
  /** The limits on open connections. Those of `Limits` when absent. */
  readonly connections?: ConnectionCaps
  /** The proxies in front of the server. None when absent. */
  readonly proxies?: Proxies
}

/** The address cannot be listened on. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  port: Schema.Int,
  host: Schema.String,
  /** The system's code, e.g. `EADDRINUSE`. */
  code: Schema.String
}) {}

/** The server that listens. */
export class NodeServer extends Context.Service<NodeServer, { readonly port: number; readonly server: Server }>()(
  "almoner/http/NodeServer"
) {}

/** The scheme and host before the path of a request target, as proxies send it. */
const absoluteForm = /^https?:\/\/[^/?#]*\/?/i

type Headers = EdgeRequest["headers"]

/**
 * The headers by name, with values of the same name joined: read from the raw lines, because a host's server may drop
 * repeated ones. The bundled server has Node join them.
 */
const headersIn = ({ rawHeaders }: IncomingMessage): Headers => {
  // Without a prototype, because a header may be called `constructor`.
  const headers: Record<string, string> = Object.create(null)
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase()
    const value = rawHeaders[index + 1] ?? ""
    const before = headers[name]
    headers[name] = before === undefined ? value : `${before}, ${value}`
  }
  return headers
}

const peerOf = (incoming: IncomingMessage): string => incoming.socket.remoteAddress ?? ""

interface Reading {
  readonly headersOf: (incoming: IncomingMessage) => Headers
  readonly addresses: ClientAddresses
  readonly proxyHeader: string | null
  readonly bodyTimeoutMillis: number
}

const clientOf = (incoming: IncomingMessage, headers: Headers, { addresses, proxyHeader }: Reading): string => {
  const peer = peerOf(incoming)
  const told = proxyHeader === null ? undefined : headers[proxyHeader]
  return typeof told === "string" ? addresses.of(peer, told) : peer
}

const requestOf = (incoming: IncomingMessage, reading: Reading, isDraining: () => boolean): EdgeRequest => {
  const url = incoming.url ?? "/"
  const target = url.startsWith("/") ? url : url.replace(absoluteForm, "/")
  const mark = target.indexOf("?")
  const headers = reading.headersOf(incoming)
  return {
    method: incoming.method ?? "GET",
    path: mark === -1 ? target : target.slice(0, mark),
    query: mark === -1 ? "" : target.slice(mark + 1),
    headers,
    clientAddress: clientOf(incoming, headers, reading),
    isDraining,
    readBody: readNodeBody(incoming, reading.bodyTimeoutMillis)
  }
}

/** How long the rest of a refused request is read and dropped, milliseconds. */
const lingerMillis = 1_000

/**
 * Ends the answer to a request that was not read to its end. Closing at once would reset the connection, and the client
 * would lose the answer; so the rest of the request is dropped until it ends or the time is over.
 */
const linger = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
  const end = () => {
    clearTimeout(timer)
    incoming.off("end", end).off("close", end)
    outgoing.end(() => outgoing.socket?.destroySoon())
  }
  const timer = setTimeout(end, lingerMillis)
  incoming.on("end", end).on("close", end).resume()
}

const reply = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  response: EdgeResponse,
  { isClosing, write }: ServerHooks
): void => {
  if (outgoing.destroyed) return
  const close = response.close === true
  write(outgoing, response.status, headersOf(response, close || isClosing()))
  if (close) {
    send(outgoing, response.body, "write")
    linger(incoming, outgoing)
  } else if (incoming.method === "HEAD" || isBodyless(response.status)) outgoing.end()
  else send(outgoing, response.body, "end")
  watchUnread(outgoing, response)
}

const invalid = (message: string): Problem => ({ code: "invalid_request", message })

/** Node's errors about requests that it cannot read, in words of this API. */
const broken: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "The request did not arrive in time. Send it again.",
  HPE_HEADER_OVERFLOW: `The request line and the headers are too long: together they may have ${Limits.requestHeadBytes} bytes. Shorten the query or the headers.`
}

const brokenProblem = (code = ""): Problem => invalid(broken[code] ?? "The request is not well-formed HTTP.")

const overCaps: Problem = {
  code: "rate_limited",
  message: "Too many connections are open. Close those that are not used, and try again in 1 s.",
  retryAfterSeconds: 1
}

/** RFC 9112, section 6.1: what is sent in a coding that is not known cannot be read. */
const otherCoding: Problem = {
  ...invalid("The only transfer coding that is read is chunked. Send the body as it is, with its length or in chunks."),
  status: 501
}

const countHosts = (rawHeaders: ReadonlyArray<string>): number => {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1
  }
  return hosts
}

/** The problem with headers that nobody, or no two readers alike, can read. RFC 9112, section 3.2: Host. */
const headersProblem = (incoming: IncomingMessage, keepsHeaders: boolean): Problem | undefined => {
  const { headers, httpVersion, rawHeaders } = incoming
  if (!keepsHeaders && rawHeaders.length >= 2 * Limits.hostHeaderLines) {
    return invalid(`The request has too many header lines: fewer than ${Limits.hostHeaderLines} are read.`)
  }
  if (!/^\s*chunked\s*$/i.test(headers["transfer-encoding"] ?? "chunked")) return otherCoding
  const hosts = countHosts(rawHeaders)
  if (hosts > 1) return invalid("The request has more than one Host header.")
  return hosts === 0 && httpVersion === "1.1" ? brokenProblem(undefined) : undefined
}

const rawResponse = ({ body, headers, status }: EdgeResponse): Buffer => {
  const bytes = Buffer.from(body)
  const all = { ...headers, "content-length": bytes.byteLength, connection: "close" }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", ""].join("\r\n")
  return Buffer.concat([Buffer.from(head, "latin1"), bytes])
}

/** Answers bytes that are not HTTP with the envelope, and ends the connection. */
const answerBrokenRequest =
  (unreadable: Unreadable, run: (effect: Effect.Effect<void>) => unknown, isAnswering: (socket: Socket) => boolean) =>
  (error: Error & { readonly code?: string }, socket: Socket): void => {
    // Bytes in the middle of another answer would corrupt that one.
    if (error.code === "ECONNRESET" || !socket.writable || isAnswering(socket)) {
      socket.destroy()
      return
    }
    const answered = unreadable(socket.remoteAddress ?? "", brokenProblem(error.code))
    run(Effect.map(answered, (response): void => void socket.end(rawResponse(response), () => socket.destroySoon())))
  }

const listen = (server: Server, { host, port }: NodeServerOptions): Effect.Effect<void, ListenFailed> =>
  Effect.callback((resume) => {
    const onError = (error: Error & { readonly code?: string }) =>
      resume(Effect.fail(new ListenFailed({ port, host, code: error.code ?? error.message })))
    server.once("error", onError)
    server.listen(port, host, () => {
      server.off("error", onError)
      resume(Effect.void)
    })
  })

/** Connections over the caps that are answered at once; further ones are closed without an answer. */
const refusedAtOnce = 64

/**
 * Answers a connection that is over the caps. It waits for the request, since a client would not expect an answer
 * before that, and drops all further bytes, since closing with bytes unread would reset the connection and lose the
 * answer.
 */
const refuseConnection = (
  socket: Socket,
  unreadable: Unreadable,
  run: (effect: Effect.Effect<void>) => unknown
): void => {
  const timer = setTimeout(() => socket.destroy(), lingerMillis)
  const tell = () => {
    const answered = unreadable(socket.remoteAddress ?? "", overCaps)
    run(Effect.map(answered, (response): void => void socket.end(rawResponse(response))))
  }
  socket.on("error", () => socket.destroy()).once("close", () => clearTimeout(timer))
  socket
    .once("data", tell)
    .once("end", () => socket.destroySoon())
    .resume()
}

/** Closes the server. Node takes a connection that has sent nothing as busy: `endIdle` ends those. */
const closeWithin = (server: Server, millis: number, endIdle: () => void): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => server.closeAllConnections(), millis)
    server.close(() => {
      clearTimeout(timer)
      resume(Effect.void)
    })
    endIdle()
  })

/** The options of a listener for a host's `node:http` server. */
export interface ListenerOptions {
  /** For the body of a request, milliseconds. */
  readonly bodyTimeoutMillis?: number
  /** The proxies in front of the server. None when absent. */
  readonly proxies?: Proxies
}

/** The parts that only the bundled server has. */
interface ServerHooks {
  readonly isClosing: () => boolean
  /** A request with a valid key was answered. */
  readonly recognise: (socket: Socket) => void
  /** Whether the server joins repeated headers and drops no header line. */
  readonly keepsHeaders: boolean
  readonly write: WriteHead
}

const hostHooks: ServerHooks = { isClosing: () => false, recognise: () => {}, keepsHeaders: false, write: setHead }

const listenerWith = (
  { handle, unreadable }: HttpService["Service"],
  run: (effect: Effect.Effect<void>) => unknown,
  options: ListenerOptions,
  hooks: ServerHooks
) => {
  const proxies = options.proxies ?? noProxies
  const addresses = clientAddresses(proxies)
  const reading: Reading = {
    headersOf: hooks.keepsHeaders ? ({ headers }) => headers : headersIn,
    addresses,
    proxyHeader: proxies.header,
    bodyTimeoutMillis: options.bodyTimeoutMillis ?? bodyTimeoutDefaultMillis
  }
  const answer = (incoming: IncomingMessage): Effect.Effect<EdgeResponse> => {
    const problem = headersProblem(incoming, hooks.keepsHeaders)
    return problem === undefined
      ? handle(requestOf(incoming, reading, hooks.isClosing))
      : unreadable(clientOf(incoming, reading.headersOf(incoming), reading), problem)
  }
  /** Whether a refused stranger's connection ends; not a trusted proxy's, which carries others' requests, too. */
  const isOver = (incoming: IncomingMessage, { recognised, status }: EdgeResponse): boolean =>
    recognised !== true && status >= 400 && status < 500 && !addresses.isTrusted(peerOf(incoming))
  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    run(
      Effect.map(answer(incoming), (response) => {
        if (response.recognised === true) hooks.recognise(incoming.socket)
        const ended = isOver(incoming, response) ? { ...response, close: true } : response
        reply(incoming, outgoing, ended, hooks)
      })
    )
  }
}

/**
 * Answers the requests of a `node:http` server that is the host's own, with the host's limits on connections and headers.
 * `run` starts an answer. The body must not have been read.
 */
export const listenerOf = (
  service: HttpService["Service"],
  run: (effect: Effect.Effect<void>) => unknown,
  options: ListenerOptions = {}
) => listenerWith(service, run, options, hostHooks)

const capsDefault: ConnectionCaps = { total: Limits.connections, perAddress: Limits.connectionsPerAddress }

/** Admits connections within the caps, and refuses the rest before they cost more than a socket. */
const guardConnections = (
  server: Server,
  isAdmitted: (socket: Socket) => boolean,
  refuse: (socket: Socket) => void
) => {
  const listeners = server.listeners("connection")
  server.removeAllListeners("connection")
  server.on("connection", (socket: Socket) => {
    if (!isAdmitted(socket)) refuse(socket)
    else for (const each of listeners) Reflect.apply(each, server, [socket])
  })
}

const make = (
  options: NodeServerOptions
): Effect.Effect<NodeServer["Service"], ListenFailed, HttpService | Scope.Scope> =>
  Effect.gen(function* () {
    const service = yield* HttpService
    const run = Effect.runForkWith(roomy(yield* Effect.context<never>()))
    const bodyTimeoutMillis = options.bodyTimeoutMillis ?? bodyTimeoutDefaultMillis
    const caps = options.connections ?? capsDefault
    const connections = makeConnections(caps, clientAddresses(options.proxies ?? noProxies))
    let closing = false
    const listener = listenerWith(service, run, options, {
      isClosing: () => closing,
      recognise: connections.recognise,
      keepsHeaders: true,
      write: writeHead
    })
    const respond = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
      const { socket } = incoming
      connections.begin(socket)
      outgoing.once("close", () => connections.end(socket))
      listener(incoming, outgoing)
    }
    const server = createServer(
      {
        headersTimeout: options.headersTimeoutMillis ?? 10_000,
        requestTimeout: bodyTimeoutMillis + 10_000,
        keepAliveTimeout: options.idleTimeoutMillis ?? Limits.idleTimeoutSeconds * 1_000,
        connectionsCheckingInterval: 2_000,
        maxHeaderSize: Limits.requestHeadBytes,
        // Duplicates are refused or joined by the pipeline, not dropped silently.
        joinDuplicateHeaders: true,
        // The pipeline refuses a missing Host, with the envelope.
        requireHostHeader: false,
        noDelay: true
      },
      respond
    )
    // The size of the headers is limited; a limit on their number would drop some silently.
    server.maxHeadersCount = 0
    server.maxConnections = caps.total + refusedAtOnce
    guardConnections(server, connections.admit, (socket) => refuseConnection(socket, service.unreadable, run))
    // Without a listener, Node itself refuses an expectation that it does not know.
    server.on("checkExpectation", respond)
    server.on("clientError", answerBrokenRequest(service.unreadable, run, connections.isAnswering))
    yield* listen(server, options)
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        closing = true
        return closeWithin(server, options.drainTimeoutMillis ?? 8_000, connections.endIdle)
      })
    )
    const address = server.address()
    return { port: typeof address === "object" && address !== null ? address.port : options.port, server }
  })

/** Serves the API over `node:http`. When its scope closes it stops accepting and lets requests in flight finish. */
export const layer = (options: NodeServerOptions): Layer.Layer<NodeServer, ListenFailed, HttpService> =>
  Layer.effect(NodeServer, make(options))
