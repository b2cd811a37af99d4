/**
 * A mail server in a process of its own, which takes every mail and notes when it came. Its first message is `{ port }`; sent
 * "report" it answers `[[id, epochMillis], …]` of what came since the last report, by the id in each Message-ID, and forgets it.
 */
import { SMTPServer } from "smtp-server"

let came = []

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  logger: false,
  onData(stream, _session, callback) {
    const chunks = []
    stream.on("data", (chunk) => chunks.push(chunk))
    stream.on("end", () => {
      const [, id = ""] = /^Message-ID: <([^@>]+)@/im.exec(Buffer.concat(chunks).toString("latin1")) ?? []
      came.push([id, Date.now()])
      callback()
    })
  }
})
server.on("error", () => {})

process.on("message", () => {
  process.send(came)
  came = []
})
process.once("disconnect", () => process.exit())
server.listen(0, "127.0.0.1", () => process.send({ port: server.server.address().port }))
