import { connect, createServer, type Socket } from "node:net"
import { Effect } from "effect"
import { listenAs } from "../adapters/Receivers.ts"

/** A way to a database that can be closed, or go silent with its connections open, and be opened again. */
export const makeGate = Effect.fnUntraced(function* (url: string) {
  const target = new URL(url)
  const open = new Set<Socket>()
  let state: "open" | "closed" | "silent" = "open"
  const hold = (socket: Socket) => {
    open.add(socket.on("error", () => socket.destroy()).on("close", () => open.delete(socket)))
    if (state === "silent") socket.pause()
  }
  const { port } = yield* listenAs(
    createServer((inside) => {
      if (state === "closed") {
        inside.destroy()
        return
      }
      const outside = connect(Number(target.port), target.hostname)
      inside.pipe(outside).on("close", () => inside.destroy())
      outside.pipe(inside).on("close", () => outside.destroy())
      for (const socket of [inside, outside]) hold(socket)
    })
  )
  const through = new URL(url)
  through.port = `${port}`
  const become = (next: typeof state) =>
    Effect.sync(() => {
      state = next
      for (const socket of open) {
        if (next === "silent") socket.unpipe().pause()
        else socket.destroy()
      }
    })
  return { url: through.href, close: become("closed"), silence: become("silent"), open: become("open") } as const
})
