import { serve } from "almoner/http"
import { Hono } from "hono"

/** A Hono host with the HTTP API of the service under `/api/v1`, beside routes of its own. */
export const appOf = async (almoner) => {
  const api = await serve(almoner)
  return new Hono()
    .get("/", (context) => context.text("A page of the host"))
    .all("/api/v1/*", (context) => api.fetch(context.req.raw))
}
