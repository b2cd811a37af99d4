import { serve } from "almoner/http"
import { appOf } from "../../hono/app.mjs"
import { received, run } from "../host.mjs"

const runtime = "Bun" in globalThis ? "bun" : "Deno" in globalThis ? "deno" : "node"
const { getConnInfo, listen } = await import(`../../hono/${runtime}.mjs`)

/** The request without the door in its path. */
const within = ({ raw, url }, door) => new Request(url.replace(door, ""), raw)

await run(async (almoner) => {
  const app = await appOf(almoner, getConnInfo)
  const api = await serve(almoner)

  const answer = async (context, body) => {
    const { status, text } = await received({ body, headers: context.req.raw.headers })
    return context.body(text, status)
  }
  app.post("/hooks", async (context) => answer(context, await context.req.text()))
  app.post("/parsed/hooks", async (context) => answer(context, await context.req.json()))
  app.all("/parsed/*", async (context) => {
    const request = within(context.req, "/parsed")
    await request.json()
    return api.fetch(request)
  })
  app.all("/kept/*", async (context) => {
    const request = within(context.req, "/kept")
    const copy = request.clone()
    await request.json()
    return api.fetch(copy)
  })
  return listen(app)
})
