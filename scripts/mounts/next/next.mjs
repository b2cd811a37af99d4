/** Starts what Next has built, and says where it listens, and a key and a notice that one of its routes made. */
import { spawn } from "node:child_process"
import { createServer } from "node:net"
import process from "node:process"

const port = await new Promise((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address()
    server.close(() => resolve(port))
  })
})
const args = ["node_modules/next/dist/bin/next", "start", "--hostname", "127.0.0.1", "--port", `${port}`]
const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] })
// Next ends with 143 when it was asked to with SIGTERM and has answered what was under way.
child.once("close", (code) => {
  process.exitCode = code === 143 ? 0 : (code ?? 1)
})
process.once("SIGTERM", () => child.kill("SIGTERM"))
for (;;) {
  const answer = await fetch(`http://127.0.0.1:${port}/battery`, { method: "POST" }).catch(() => undefined)
  if (answer?.ok) {
    const doors = { parsed: ["/parsed", "/api/read"], kept: ["/kept", "/api/raw"] }
    console.log(JSON.stringify({ port, doors, ...(await answer.json()) }))
    break
  }
  await new Promise((resolve) => setTimeout(resolve, 100))
}
