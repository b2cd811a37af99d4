import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import { createServer as createTcpServer, type Server, type Socket } from "node:net"
import { Effect } from "effect"

/** A server on loopback that closes with its scope. */
export interface Receiver {
  readonly url: string
  readonly port: number
  /** Every connection that was ever accepted. */
  readonly sockets: ReadonlyArray<Socket>
}

/** Starts any server as a receiver. */
export const listenAs = (server: Server) =>
  Effect.acquireRelease(
    Effect.callback<Receiver & { readonly sockets: Array<Socket> }>((resume) => {
      const sockets: Array<Socket> = []
      server.on("connection", (socket: Socket) => sockets.push(socket.on("error", () => socket.destroy())))
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}/`, port, sockets }))
      })
    }),
    ({ sockets }) =>
      Effect.callback<void>((resume) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resume(Effect.void))
      })
  )

/** A receiver that speaks HTTP. */
export const receiver = (listener: RequestListener) => listenAs(createServer(listener))

/** A receiver that writes its own bytes; `turn` counts the requests over all its connections from 1. */
export const rawReceiver = (respond: (socket: Socket, turn: number) => void) => {
  let turn = 0
  return listenAs(
    createTcpServer((socket) => {
      let received = ""
      socket.on("data", (chunk) => {
        received += chunk.toString("latin1")
        if (!received.endsWith("\r\n\r\n{}")) return
        received = ""
        respond(socket, ++turn)
      })
    })
  )
}

/** The whole body of a request. */
export const bodyOf = async (incoming: IncomingMessage) => {
  let body = ""
  for await (const chunk of incoming) body += chunk
  return body
}

/** Waits until a socket is closed. */
export const closedSocket = (socket: Socket | undefined) =>
  Effect.callback<void>((resume) => {
    if (socket === undefined || socket.closed) resume(Effect.void)
    else socket.once("close", () => resume(Effect.void))
  })

/** Waits until a condition holds; the test's own time limit is its end. */
export const until = (condition: () => boolean) =>
  Effect.gen(function* () {
    while (!condition()) yield* Effect.sleep("5 millis")
  })
