/** The floor of an HTTP answer: node:http and one JSON body. Nothing is checked, nothing is looked up. */
import { createServer } from "node:http"

const server = createServer((_, response) => {
  const body = JSON.stringify({ organisation_id: "org_00000000000000000000000000", scope: "WRITE" })
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) }).end(body)
})

process.once("disconnect", () => process.exit())
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }))
