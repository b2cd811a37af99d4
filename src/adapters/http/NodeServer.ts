import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { Context, Effect, Layer, Schema, type Scope } from "effect"
import type { Unreadable } from "./Edge.ts"
import type { EdgeRequest, EdgeResponse } from "./Exchange.ts"
import { readNodeBody } from "./NodeBody.ts"
import type { Problem } from "./Problem.ts"
import { HttpService } from "./Service.ts"

/** Where to listen, and how long a client may take. Milliseconds. */
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

/** What comes before the path in a target as proxies send it. */
const absoluteForm = /^https?:\/\/[^/?#]*\/?/i

const requestOf = (incoming: IncomingMessage, bodyTimeoutMillis: number): EdgeRequest => {
  const url = incoming.url ?? "/"
  const target = url.startsWith("/") ? url : url.replace(absoluteForm, "/")
  const mark = target.indexOf("?")
  return {
    method: incoming.method ?? "GET",
    path: mark === -1 ? target : target.slice(0, mark),
    query: mark === -1 ? "" : target.slice(mark + 1),
    headers: incoming.headers,
    clientAddress: incoming.socket.remoteAddress ?? "",
    readBody: readNodeBody(incoming, bodyTimeoutMillis)
  }
}

/** The bytes as the text that Node sends in one write with the headers; bytes apart would take a second buffer. */
const latin1 = (body: Uint8Array): string =>
  Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1")

/** Names and values in turn, which Node takes fastest. */
const headersOf = ({ body, headers, status }: EdgeResponse, closing: boolean): Array<string> => {
  const lines: Array<string> = []
  for (const name in headers) lines.push(name, headers[name] ?? "")
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength
  if (status !== 204) lines.push("content-length", String(length))
  if (closing) lines.push("connection", "close")
  return lines
}

const send = (outgoing: ServerResponse, body: EdgeResponse["body"], then: "end" | "write"): void => {
  if (typeof body === "string") outgoing[then](body, "utf8")
  else outgoing[then](latin1(body), "latin1")
}

/** How long what is left of a request is read and dropped after its refusal, milliseconds. */
const lingerMillis = 1_000

/**
 * Ends an answer to a request that was not read to its end. To close at once would reset the connection, and the client
 * would lose the answer; what it still sends is dropped until it is done or the time is over.
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

const reply = (incoming: IncomingMessage, outgoing: ServerResponse, response: EdgeResponse, closing: boolean): void => {
  if (outgoing.destroyed) return
  const close = response.close === true
  outgoing.writeHead(response.status, headersOf(response, close || closing))
  if (close) {
    send(outgoing, response.body, "write")
    linger(incoming, outgoing)
  } else if (incoming.method === "HEAD" || response.status === 204) outgoing.end()
  else send(outgoing, response.body, "end")
}

/** Node's code for a client that was too slow with its headers or its body. */
const timeoutCode = "ERR_HTTP_REQUEST_TIMEOUT"

const brokenProblem = (code: string | undefined): Problem => ({
  code: "invalid_request",
  message: code === timeoutCode ? "The request did not arrive in time." : "The request is not well-formed HTTP."
})

/** RFC 9112, section 3.2: every request of HTTP/1.1 names its host. */
const isWithoutHost = ({ headers, httpVersion }: IncomingMessage): boolean =>
  httpVersion === "1.1" && headers.host === undefined

const rawResponse = ({ body, headers, status }: EdgeResponse): Buffer => {
  const bytes = Buffer.from(body)
  const all = { ...headers, "content-length": bytes.byteLength, connection: "close" }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", ""].join("\r\n")
  return Buffer.concat([Buffer.from(head, "latin1"), bytes])
}

/** A request that is not even HTTP gets the envelope, too, and the connection ends. */
const answerBrokenRequest =
  (unreadable: Unreadable, run: (effect: Effect.Effect<void>) => unknown, isAnswering: (socket: Socket) => boolean) =>
  (error: Error & { readonly code?: string }, socket: Socket): void => {
    // Bytes in the middle of another answer would break that one.
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

const closeWithin = (server: Server, millis: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => server.closeAllConnections(), millis)
    server.close(() => {
      clearTimeout(timer)
      resume(Effect.void)
    })
    server.closeIdleConnections()
  })

const bodyTimeoutDefaultMillis = 20_000

/**
 * Answers the requests of a `node:http` server that is the host's own, with the host's limits on connections and headers.
 * `run` starts an answer. The body must not have been read.
 */
export const listenerOf = (
  { handle, unreadable }: HttpService["Service"],
  run: (effect: Effect.Effect<void>) => unknown,
  options: { readonly bodyTimeoutMillis?: number; readonly isClosing?: () => boolean } = {}
) => {
  const bodyTimeoutMillis = options.bodyTimeoutMillis ?? bodyTimeoutDefaultMillis
  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const answered = isWithoutHost(incoming)
      ? unreadable(incoming.socket.remoteAddress ?? "", brokenProblem(undefined))
      : handle(requestOf(incoming, bodyTimeoutMillis))
    run(Effect.map(answered, (response) => reply(incoming, outgoing, response, options.isClosing?.() === true)))
  }
}

const make = (
  options: NodeServerOptions
): Effect.Effect<NodeServer["Service"], ListenFailed, HttpService | Scope.Scope> =>
  Effect.gen(function* () {
    const service = yield* HttpService
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const bodyTimeoutMillis = options.bodyTimeoutMillis ?? bodyTimeoutDefaultMillis
    /** How many requests of a connection wait for their answers: with pipelining there may be several. */
    const answering = new Map<Socket, number>()
    const count = (socket: Socket, change: number): void => {
      const waiting = (answering.get(socket) ?? 0) + change
      if (waiting > 0) answering.set(socket, waiting)
      else answering.delete(socket)
    }
    let closing = false
    const listener = listenerOf(service, run, { bodyTimeoutMillis, isClosing: () => closing })
    const respond = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
      const { socket } = incoming
      count(socket, 1)
      outgoing.once("close", () => count(socket, -1))
      listener(incoming, outgoing)
    }
    const server = createServer(
      {
        headersTimeout: options.headersTimeoutMillis ?? 10_000,
        requestTimeout: bodyTimeoutMillis + 10_000,
        keepAliveTimeout: options.idleTimeoutMillis ?? 65_000,
        connectionsCheckingInterval: 2_000,
        maxHeaderSize: 16_384,
        // Duplicates are refused or joined by the pipeline, not dropped silently.
        joinDuplicateHeaders: true,
        // The pipeline refuses its absence, with the envelope.
        requireHostHeader: false,
        noDelay: true
      },
      respond
    )
    // Without a listener Node refuses an expectation that it does not know with an answer of its own.
    server.on("checkExpectation", respond)
    server.on(
      "clientError",
      answerBrokenRequest(service.unreadable, run, (socket) => answering.has(socket))
    )
    yield* listen(server, options)
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        closing = true
        return closeWithin(server, options.drainTimeoutMillis ?? 8_000)
      })
    )
    const address = server.address()
    return { port: typeof address === "object" && address !== null ? address.port : options.port, server }
  })

/** Serves the API over `node:http`. When its scope closes it stops accepting and lets requests in flight finish. */
export const layer = (options: NodeServerOptions): Layer.Layer<NodeServer, ListenFailed, HttpService> =>
  Layer.effect(NodeServer, make(options))
