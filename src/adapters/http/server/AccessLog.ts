import { Context, Effect } from "effect"
import { makeMonotonic } from "../../../app/kernel/time/Monotonic.ts"
import type { EdgeRequest, EdgeResponse } from "../pipeline/Handler.ts"
import { noticeAddress, noticeRoute } from "../pipeline/NoticeEndpoint.ts"
import type { RouteMatch } from "../pipeline/Routes.ts"
import type { Documents } from "./Documents.ts"
import { readyPath } from "./Outside.ts"

/** One line of the access log. Only the request id was chosen by the caller. */
export interface Access {
  /** The method; `other` for one that HTTP does not define. */
  readonly method: string
  /** The path as it is declared, with `:id` for an id; `unknown` where there is nothing. */
  readonly route: string
  readonly status: number
  /** From the request's head to its answer, milliseconds. */
  readonly ms: number
  readonly request_id: string
  /** The organisation whose key was shown; null without a good one. */
  readonly organisation_id: string | null
}

/** The line as one text for people. */
export const summaryOf = ({ method, ms, organisation_id, request_id, route, status }: Access): string =>
  `${method} ${route} ${status} ${ms} ms ${request_id} ${organisation_id ?? "-"}`

/** Writes the line of a request. Undefined where the access log is off. */
export const AccessLog = Context.Reference<((access: Access) => Effect.Effect<void>) | undefined>(
  "almoner/http/AccessLog",
  { defaultValue: () => undefined }
)

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** The routes and documents that a request can lead to. */
interface Places {
  readonly routes: (path: string) => RouteMatch | undefined
  readonly documents: Documents
}

type Answering = (request: EdgeRequest, request_id: string) => Effect.Effect<EdgeResponse>

/** Adds a log line for each request. Where the access log is off, the handler is returned as it is. */
export const withAccessLog = Effect.fnUntraced(function* ({ documents, routes }: Places) {
  const write = yield* AccessLog
  if (write === undefined) return (answering: Answering): Answering => answering
  const now = yield* makeMonotonic
  const routeOf = (path: string): string => {
    const notices = noticeAddress(path)
    if (notices !== undefined) return noticeRoute(notices)
    return path === readyPath || documents.has(path) ? path : (routes(path)?.routes.path ?? "unknown")
  }
  return (answering: Answering): Answering =>
    (request, request_id) =>
      Effect.suspend(() => {
        const start = now()
        return Effect.tap(answering(request, request_id), ({ organisation_id = null, status }) =>
          write({
            method: methods.has(request.method) ? request.method : "other",
            route: routeOf(request.path),
            status,
            ms: Math.round((now() - start) * 10) / 10,
            request_id,
            organisation_id
          })
        )
      })
})
