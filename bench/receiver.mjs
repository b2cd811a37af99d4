/**
 * A webhook receiver in a process of its own. It answers every POST with 204 and notes when it came. Its first message
 * is `{ port }`; sent "count" it answers how many came since the last report, sent "report" it answers `{ count, perSecond, p50Millis, p99Millis }` of what came since the last
 * report and forgets it. The latencies run from the body's `occurred_at` to the arrival.
 */
import { createServer } from "node:http"
import { percentile } from "../harness/Percentile.mjs"

let latencies = []
let first = 0
let last = 0

function note(body) {
  const now = Date.now()
  if (latencies.length === 0) first = now
  last = now
  latencies.push(now - Date.parse(JSON.parse(body).occurred_at))
}

const server = createServer((request, response) => {
  const chunks = []
  request.on("data", (chunk) => chunks.push(chunk))
  request.on("end", () => {
    note(Buffer.concat(chunks).toString("utf8"))
    response.writeHead(204).end()
  })
})
server.keepAliveTimeout = 60_000

function report() {
  const count = latencies.length
  const answer = {
    count,
    perSecond: count > 1 ? ((count - 1) * 1_000) / Math.max(1, last - first) : 0,
    p50Millis: percentile(latencies, 50),
    p99Millis: percentile(latencies, 99)
  }
  latencies = []
  return answer
}

process.on("message", (question) => {
  if (question === "count") process.send(latencies.length)
  if (question === "report") process.send(report())
})
process.once("disconnect", () => process.exit())
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }))
