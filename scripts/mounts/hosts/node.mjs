import { createServer } from "node:http"
import { serve } from "almoner/http"
import { pages } from "almoner/pages"
import { beneath, isServed, listening, received, run } from "../host.mjs"

const bytesOf = async (request) => {
  const pieces = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces)
}

await run(async (almoner) => {
  const { listener } = await serve(almoner, { pages })
  return listening(
    createServer(async (request, response) => {
      const { url } = request
      if (isServed(url.split("?", 1)[0])) return listener(request, response)
      const bytes = await bytesOf(request)
      if (url.endsWith("/hooks")) {
        const body = url === "/hooks" ? bytes : JSON.parse(bytes)
        const { status, text } = await received({ body, headers: request.headers })
        return response.writeHead(status).end(text)
      }
      if (url.startsWith("/kept/")) request.rawBody = bytes
      else request.body = JSON.parse(bytes)
      request.url = beneath(url, url.startsWith("/kept/") ? "/kept" : "/parsed")
      listener(request, response)
    })
  )
})
