import { createServer } from "node:http"
import { verifyWebhook } from "almoner/client"

/** A delivery that is retried has the same id. A receiver with several processes keeps the ids where all of them look. */
const seen = new Set()

const bodyOf = async (request) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** A server that gives `handle` every event once, and answers 400 to what the service did not sign. */
export const receiver = ({ secret, handle }) =>
  createServer(async (request, response) => {
    const received = { body: await bodyOf(request), headers: request.headers, secret }
    const outcome = await verifyWebhook(received).outcome()
    if (!outcome.ok) return response.writeHead(400).end(outcome.failure.reason)
    const event = outcome.value
    if (!seen.has(event.id)) {
      seen.add(event.id)
      handle(event)
    }
    response.writeHead(204).end()
  })
