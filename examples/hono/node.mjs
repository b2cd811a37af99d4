import { once } from "node:events"
import { serve } from "@hono/node-server"

export { getConnInfo } from "@hono/node-server/conninfo"

/** Serves a Hono application on Node; `close` lets what is under way end. */
export const listen = async (app, port = 0) => {
  const server = serve({ fetch: app.fetch, port, hostname: "127.0.0.1" })
  if (!server.listening) await once(server, "listening")
  return { port: server.address().port, close: () => new Promise((resolve) => server.close(resolve)) }
}
