import { Effect } from "effect"
import type { Handle } from "./Edge.ts"
import type { BodyRead, EdgeRequest, EdgeResponse } from "./Exchange.ts"

const collect = async (request: Request, maximumBytes: number): Promise<BodyRead> => {
  if (request.body === null) return { _tag: "Body", bytes: new Uint8Array() }
  const chunks: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of request.body) {
    size += chunk.byteLength
    if (size > maximumBytes) return { _tag: "TooLarge" }
    chunks.push(chunk)
  }
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return { _tag: "Body", bytes }
}

const requestOf = (request: Request, clientAddress: string): EdgeRequest => {
  const url = new URL(request.url)
  return {
    method: request.method,
    path: url.pathname,
    query: url.search.slice(1),
    headers: Object.fromEntries(request.headers),
    clientAddress,
    readBody: (maximumBytes) =>
      Effect.promise(() => collect(request, maximumBytes).catch((): BodyRead => ({ _tag: "Broken" })))
  }
}

const bodyless: ReadonlySet<number> = new Set([204, 304])

const responseOf = (response: EdgeResponse, head: boolean): Response =>
  new Response(head || bodyless.has(response.status) ? null : response.body.slice(), {
    status: response.status,
    headers: { ...response.headers }
  })

/**
 * The API as a web-standard handler, for hosts such as Hono, Next, Bun and Deno. `clientAddress` tells where a request comes
 * from, for the buckets of callers without a key; without it they share one.
 */
export const toFetch =
  (handle: Handle, clientAddress: (request: Request) => string = () => "") =>
  (request: Request): Promise<Response> =>
    Effect.runPromise(
      Effect.map(handle(requestOf(request, clientAddress(request))), (response) =>
        responseOf(response, request.method === "HEAD")
      )
    )
