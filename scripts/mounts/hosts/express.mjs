import { createServer } from "node:http"
import { serve } from "almoner/http"
import express from "express"
import { appOf } from "../../express/app.mjs"
import { listening, received, run } from "../host.mjs"

await run(
  async (almoner) => {
    const app = await appOf(almoner, () => undefined)
    const { listener } = await serve(almoner)

    const answer = async (request, response) => {
      const { status, text } = await received({ body: request.body, headers: request.headers })
      response.status(status).end(text)
    }
    app.post("/hooks", express.raw({ type: "application/json" }), answer)
    app.post("/parsed/hooks", express.json(), answer)

    const keep = (request, _, bytes) => {
      request.rawBody = bytes
    }
    app.use("/parsed", express.json(), listener)
    app.use("/kept", express.json({ verify: keep }), listener)
    app.use("/raw", express.raw({ type: "*/*", limit: "2mb" }), listener)
    return listening(createServer(app))
  },
  { parsed: ["/parsed"], kept: ["/kept", "/raw"] }
)
