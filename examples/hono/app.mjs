import { serve } from "almoner/http"
import { pages } from "almoner/pages"
import { Hono } from "hono"

/**
 * A Hono host with the HTTP API of the service under `/api/v1` and its pages, beside routes of its own. `connInfo` is Hono's
 * `getConnInfo` of the runtime: by it callers without a key are told apart.
 */
export const appOf = async (almoner, connInfo = () => ({ remote: {} })) => {
  const api = await serve(almoner, { pages, clientAddress: (_, context) => connInfo(context).remote.address ?? "" })
  return new Hono()
    .get("/", (context) => context.text("A page of the host"))
    .all("/api/v1/*", (context) => api.fetch(context.req.raw, context))
    .post("/processors/*", (context) => api.fetch(context.req.raw, context))
    .on(["GET", "POST"], ["/f/*", "/g/*", "/c/*", "/p/*"], (context) => api.fetch(context.req.raw, context))
}
