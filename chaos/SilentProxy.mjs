/** A TCP proxy that can go silent: its connections stay open, and nothing that is sent on them arrives any more. */
import { connect, createServer } from "node:net"

/** Listens for what is meant for a port of this machine. */
export async function openSilentProxy(targetPort) {
  const pairs = new Set()
  const server = createServer((near) => {
    const far = connect(targetPort, "127.0.0.1")
    const pair = { near, far, isSilent: false }
    pairs.add(pair)
    const forward = (from, to) => {
      from.on("data", (chunk) => {
        if (!pair.isSilent) to.write(chunk)
      })
      from.on("error", () => {})
      from.on("close", () => {
        if (pair.isSilent) return
        to.destroy()
        pairs.delete(pair)
      })
    }
    forward(near, far)
    forward(far, near)
  })
  const port = await new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => resolve(server.address().port))
  })
  return {
    port,
    /** Whatever is connected now is never heard of again; new connections are served. Gives how many there were. */
    silence() {
      for (const pair of pairs) pair.isSilent = true
      return pairs.size
    },
    close() {
      server.close()
      for (const { far, near } of pairs) {
        near.destroy()
        far.destroy()
      }
    }
  }
}
