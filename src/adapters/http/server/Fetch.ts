import { Effect } from "effect"
import { makeBodyBuffer } from "../pipeline/BodyMemory.ts"
import type { Handle } from "../pipeline/Edge.ts"
import {
  type BodyAllowance,
  type BodyRead,
  bodyTimeoutMillis,
  type EdgeRequest,
  type EdgeResponse
} from "../pipeline/Handler.ts"

type BodyReader = ReadableStreamDefaultReader<Uint8Array>

const collect = async (reader: BodyReader, allowance: BodyAllowance): Promise<BodyRead> => {
  const buffer = makeBodyBuffer(allowance)
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return { _tag: "Body", bytes: buffer.bytes() }
    const notKept = buffer.add(value)
    if (notKept !== undefined) return { _tag: notKept }
  }
}

const readWithin = async (body: ReadableStream<Uint8Array>, allowance: BodyAllowance): Promise<BodyRead> => {
  const reader = body.getReader()
  let timer: ReturnType<typeof setTimeout> | undefined
  const timedOut = new Promise<BodyRead>((resolve) => {
    timer = setTimeout(() => resolve({ _tag: "TimedOut" }), bodyTimeoutMillis)
  })
  const collected = collect(reader, allowance).catch((): BodyRead => ({ _tag: "Broken" }))
  const read = await Promise.race([collected, timedOut])
  clearTimeout(timer)
  // Nobody needs the rest. A stream that cannot even be cancelled has failed by itself.
  if (read._tag !== "Body") reader.cancel().catch(() => {})
  return read
}

/** Next compresses by itself, and drops what says that a route's answer is compressed already. */
const isOfNext = (request: Request): boolean => "nextUrl" in request

const uncompressed = { "accept-encoding": "identity" }

const requestOf = (request: Request, clientAddress: string): EdgeRequest => {
  const url = new URL(request.url)
  const { body, bodyUsed } = request
  return {
    method: request.method,
    path: url.pathname,
    query: url.search.slice(1),
    headers: { host: url.host, ...Object.fromEntries(request.headers), ...(isOfNext(request) ? uncompressed : {}) },
    clientAddress,
    readBody: (allowance) =>
      bodyUsed
        ? Effect.succeed({ _tag: "Taken" })
        : body === null
          ? Effect.succeed({ _tag: "Body", bytes: new Uint8Array() })
          : Effect.promise(() => readWithin(body, allowance))
  }
}

const bodyless: ReadonlySet<number> = new Set([204, 304])

const responseOf = (response: EdgeResponse, head: boolean): Response =>
  new Response(head || bodyless.has(response.status) ? null : response.body.slice(), {
    status: response.status,
    // A body that was not read ends the connection, by whichever server: a client that is told so asks on another one.
    headers: response.close === true ? { ...response.headers, connection: "close" } : { ...response.headers }
  })

/**
 * The API as a web-standard handler, for hosts such as Hono, Next, Bun and Deno. `clientAddress` finds a request's
 * client, for the buckets of callers without a key; without it they share one bucket. It gets what the handler is given
 * beside the request.
 */
export const toFetch =
  <Given extends ReadonlyArray<unknown> = []>(
    handle: Handle,
    clientAddress: (request: Request, ...given: Given) => string = () => ""
  ) =>
  (request: Request, ...given: Given): Promise<Response> =>
    Effect.runPromise(
      Effect.map(handle(requestOf(request, clientAddress(request, ...given))), (response) =>
        responseOf(response, request.method === "HEAD")
      )
    )
