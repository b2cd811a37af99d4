export { getConnInfo } from "hono/bun"

/** Serves a Hono application on Bun; `close` lets what is under way end. */
export const listen = async (app, port = 0) => {
  const server = Bun.serve({ fetch: app.fetch, port, hostname: "127.0.0.1" })
  return { port: server.port, close: () => server.stop() }
}
