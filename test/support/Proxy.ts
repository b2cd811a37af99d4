import { connect, createServer, type Socket } from "node:net"
import { Effect, type Scope } from "effect"

/** A proxy's treatment of what it is sent. */
export type ProxyMode =
  /** Forwards it. */
  | { readonly _tag: "Pass" }
  /** Takes connections and bytes, in both directions, and forwards nothing: a firewall that drops. */
  | { readonly _tag: "Silent" }
  /** Forwards what it is asked, and drops the answers. */
  | { readonly _tag: "Deaf" }
  /** Resets connections, those that there are and those that come. */
  | { readonly _tag: "Reset" }
  /** Forwards each piece after some milliseconds. */
  | { readonly _tag: "Slow"; readonly millis: number }

/** A TCP proxy on loopback whose way of working can be changed at any moment. */
export interface Proxy {
  readonly port: number
  /** The address of a server with the proxy's port in place of its own. */
  readonly through: (url: string) => string
  /** How it works from now on. What was dropped is not sent later: the connections that it belonged to stay silent. */
  readonly set: (mode: ProxyMode["_tag"] | ProxyMode) => void
  /** Where connections lead that come from now on. Those that there are stay. */
  readonly lead: (target: number) => void
  /** Connections that were ever taken. */
  readonly accepted: () => number
  /** Connections that are open on the client's side. */
  readonly open: () => number
}

const modeOf = (mode: ProxyMode["_tag"] | ProxyMode): ProxyMode => {
  if (typeof mode !== "string") return mode
  return mode === "Slow" ? { _tag: mode, millis: 200 } : { _tag: mode }
}

const reset = (socket: Socket): void => void socket.resetAndDestroy()

/** A proxy in front of a server on loopback, until the scope closes. */
export const makeProxy = (target: number): Effect.Effect<Proxy, never, Scope.Scope> =>
  Effect.gen(function* () {
    let mode: ProxyMode = { _tag: "Pass" }
    let accepted = 0
    let leadsTo = target
    const inside = new Set<Socket>()
    const outside = new Set<Socket>()

    /** A connection of which something was lost never makes sense again. */
    const forward = (from: Socket, to: Socket, cut: { isCut: boolean }, isAnswer: boolean): void => {
      from.on("data", (chunk) => {
        if (mode._tag === "Silent" || (isAnswer && mode._tag === "Deaf")) cut.isCut = true
        if (cut.isCut && (isAnswer || mode._tag !== "Deaf")) return
        if (mode._tag === "Slow") setTimeout(() => to.writable && to.write(chunk), mode.millis)
        else to.write(chunk)
      })
      // Not even the end of a connection passes a way that drops everything.
      from.on("close", () => {
        if (mode._tag !== "Silent" && !(cut.isCut && isAnswer)) to.destroy()
      })
    }

    const server = createServer((client) => {
      accepted += 1
      if (mode._tag === "Reset") return reset(client)
      const back = connect(leadsTo, "127.0.0.1")
      const cut = { isCut: false }
      inside.add(client)
      outside.add(back)
      client.on("error", () => {}).on("close", () => inside.delete(client))
      back.on("error", () => {}).on("close", () => outside.delete(back))
      forward(client, back, cut, false)
      forward(back, client, cut, true)
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.callback<void>((resume) => {
          for (const socket of [...inside, ...outside]) socket.destroy()
          server.close(() => resume(Effect.void))
        })
    )
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const through = (url: string): string => {
      const named = new URL(url)
      named.port = `${port}`
      return named.href
    }
    const set: Proxy["set"] = (next) => {
      mode = modeOf(next)
      if (mode._tag === "Reset") for (const socket of [...inside, ...outside]) reset(socket)
    }
    const lead: Proxy["lead"] = (next) => {
      leadsTo = next
    }
    return { port, through, set, lead, accepted: () => accepted, open: () => inside.size }
  })
