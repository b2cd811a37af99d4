import type { IncomingMessage, ServerResponse } from "node:http"
import { Effect } from "effect"
import type { Behaviour, ReceivedRequest } from "../../src/testing/Conformance.ts"
import { bodyOf, receiver } from "../adapters/Receivers.ts"

const dripMillis = 20

const respond = (behaviour: Behaviour, response: ServerResponse): void => {
  if (behaviour === "stay silent") return
  if (behaviour === "hang up") {
    response.socket?.destroy()
    return
  }
  if (behaviour === "break off") {
    response.writeHead(200).write("half", () => response.socket?.destroy())
    return
  }
  if (behaviour === "drip") {
    response.writeHead(200)
    const drops = setInterval(() => response.write("."), dripMillis)
    response.on("close", () => clearInterval(drops))
    return
  }
  response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body)
}

const textOf = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof value === "object" ? value.join(", ") : value

const receivedOf = async (incoming: IncomingMessage): Promise<ReceivedRequest> => ({
  method: incoming.method ?? "",
  path: incoming.url ?? "",
  headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, textOf(value)])),
  body: await bodyOf(incoming)
})

/** A receiver on loopback that keeps what it got and does as it is told, one after the other. */
export const httpReceiver = Effect.fnUntraced(function* (...turns: readonly [Behaviour, ...ReadonlyArray<Behaviour>]) {
  const received: Array<ReceivedRequest> = []
  const { port } = yield* receiver((incoming, response) => {
    receivedOf(incoming).then((each) => {
      received.push(each)
      respond(turns[received.length - 1] ?? turns[turns.length - 1] ?? turns[0], response)
    })
  })
  return { port, received }
})
