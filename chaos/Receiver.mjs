/** Webhook receivers on loopback. */
import { createServer } from "node:http"

const listening = (server) =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => resolve(server.address().port))
  })

const subjectOf = ({ data }) => data.id

/**
 * Notes in the ledger what comes, under the path as the endpoint's name, and answers after `delayMillis()` with
 * `status({ endpoint, id, subject })`. `host` is the name that its addresses have.
 */
export async function openReceiver(ledger, { delayMillis = () => 0, host = "127.0.0.1", status = () => 204 } = {}) {
  const server = createServer((request, response) => {
    const chunks = []
    request.on("data", (chunk) => chunks.push(chunk))
    request.on("end", () => {
      const event = JSON.parse(Buffer.concat(chunks).toString("utf8"))
      const seen = { endpoint: request.url.slice(1), id: request.headers["webhook-id"], subject: subjectOf(event) }
      const code = status(seen)
      ledger.arrived({ ...seen, at: performance.now(), type: event.type, isAccepted: code >= 200 && code < 300 })
      const answer = () => response.writeHead(code).end()
      const wait = delayMillis()
      if (wait > 0) setTimeout(answer, wait)
      else answer()
    })
  })
  server.keepAliveTimeout = 60_000
  const port = await listening(server)
  return {
    url: (endpoint) => `http://${host}:${port}/${endpoint}`,
    close() {
      server.closeAllConnections()
      server.close()
    }
  }
}
