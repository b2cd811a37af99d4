import { serve } from "almoner/http"
import { pagePaths, pages } from "almoner/pages"
import Fastify from "fastify"

/** A Fastify host with the HTTP API of the service under `/api/v1` and its pages, beside routes of its own. */
export const appOf = async (almoner, options = {}) => {
  const app = Fastify(options)
  const { listener } = await serve(almoner, { pages })

  app.register(async (scope) => {
    // The API reads bodies by itself, and refuses what is no JSON: in this scope no parser touches them.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null))
    for (const path of ["/api/v1", "/processors", ...pagePaths]) {
      for (const route of [path, `${path}/*`]) {
        scope.all(route, (request, reply) => {
          reply.hijack()
          listener(request.raw, reply.raw)
        })
      }
    }
  })

  app.post("/echo", async ({ body }) => body)

  return app
}
