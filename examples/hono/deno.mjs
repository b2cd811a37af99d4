export { getConnInfo } from "hono/deno"

/** Serves a Hono application on Deno; `close` lets what is under way end. */
export const listen = async (app, port = 0) => {
  const server = Deno.serve({ port, hostname: "127.0.0.1", onListen: () => {} }, app.fetch)
  return { port: server.addr.port, close: () => server.shutdown() }
}
