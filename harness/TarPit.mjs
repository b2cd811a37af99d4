/** A receiver that accepts connections, reads what comes, and never answers. */
import { createServer } from "node:net"

/** `url(n)` is the address of the n-th of any number. */
export async function openTarPit() {
  const sockets = new Set()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.on("close", () => sockets.delete(socket))
    socket.resume()
  })
  await new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", resolve)
  })
  const { port } = server.address()
  return {
    url: (n) => `http://127.0.0.1:${port}/${n}`,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    }
  }
}
