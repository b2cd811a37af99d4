import { serve } from "almoner/http"
import { appOf } from "../../fastify/app.mjs"
import { beneath, received, run } from "../host.mjs"

await run(async (almoner) => {
  const app = await appOf(almoner)
  const { listener } = await serve(almoner)

  const mounted = (door) => (request, reply) => {
    reply.hijack()
    request.raw.url = beneath(request.raw.url, door)
    listener(request.raw, reply.raw)
  }
  const answer = async (request, reply) => {
    const { status, text } = await received({ body: request.body, headers: request.headers })
    return reply.status(status).send(text ?? undefined)
  }
  app.all("/parsed/*", mounted("/parsed"))
  app.post("/parsed/hooks", answer)
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body))
    scope.post("/hooks", answer)
    scope.all("/kept/*", (request, reply) => {
      request.raw.body = request.body
      mounted("/kept")(request, reply)
    })
  })
  await app.listen({ port: 0, host: "127.0.0.1" })
  return { port: app.server.address().port, close: () => app.close() }
})
