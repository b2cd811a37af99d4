// The receiver of compose.yaml: prints each event once. It runs in the service's image, whose client verifies signatures.
import { createServer } from "node:http"

const secret = process.env.WEBHOOK_SECRET ?? ""
const { verifyWebhook } = await import(process.env.ALMONER_CLIENT ?? "/app/dist/client.js")
const seen = new Set()

const server = createServer(async (request, response) => {
  if (secret === "") {
    console.log("An event came, and WEBHOOK_SECRET is not set: it is answered 503 and sent again later.")
    return response.writeHead(503).end()
  }
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const outcome = await verifyWebhook({ body: Buffer.concat(chunks), headers: request.headers, secret }).outcome()
  if (!outcome.ok) return response.writeHead(400).end(outcome.failure.reason)
  const { data, id, type } = outcome.value
  if (!seen.has(id)) console.log(type, data.id)
  seen.add(id)
  response.writeHead(204).end()
})

server.listen(Number(process.env.PORT ?? 9000))
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => process.exit(0))
