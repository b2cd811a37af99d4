import { serve } from "almoner/http"
import { pagePaths, pages } from "almoner/pages"
import { Hono } from "hono"

/**
 * A Hono host with the HTTP API of the service under `/api/v1` and its pages, beside routes of its own. `connInfo` is Hono's
 * `getConnInfo` of the runtime: by it callers without a key are told apart.
 */
export const appOf = async (almoner, connInfo = () => ({ remote: {} })) => {
  const api = await serve(almoner, { pages, clientAddress: (_, context) => connInfo(context).remote.address ?? "" })
  const app = new Hono().get("/", (context) => context.text("A page of the host"))
  for (const path of ["/api/v1", "/processors", ...pagePaths]) {
    app.all(`${path}/*`, (context) => api.fetch(context.req.raw, context))
  }
  return app
}
