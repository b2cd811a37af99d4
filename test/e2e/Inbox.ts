import type { ServerResponse } from "node:http"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { bodyOf, receiver } from "../adapters/Receivers.ts"

/** One delivery as it arrived. */
export interface Arrival {
  readonly id: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** A receiver of deliveries on loopback that keeps what arrives. */
export const makeInbox = Effect.gen(function* () {
  const arrivals: Array<Arrival> = []
  const held = new Map<string, ServerResponse>()
  let holdUpTo = 0
  let isGone = false
  const { url } = yield* receiver(async (request, response) => {
    if (isGone) return void request.socket.destroy()
    const body = await bodyOf(request).catch(() => undefined)
    if (body === undefined) return
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, `${value}`]))
    const id = headers["webhook-id"] ?? ""
    arrivals.push({ id, body, headers })
    if (held.size < holdUpTo) held.set(id, response)
    else response.end()
  })
  return {
    url,
    arrivals,
    /** How often a delivery arrived. */
    timesOf: (id: string): number => arrivals.filter((arrival) => arrival.id === id).length,
    /** From here on keeps this many arrivals without an answer, and waits until it has them. */
    hold: Effect.fnUntraced(function* (count: number) {
      held.clear()
      holdUpTo = count
      while (held.size < count) yield* Effect.sleep(2)
      return [...held.keys()]
    }),
    /** Breaks every connection from here on. */
    leave: Effect.sync(() => {
      isGone = true
    }),
    /** Answers everything from here on. */
    answer: Effect.sync(() => {
      holdUpTo = 0
      isGone = false
    })
  } as const
})

/** Arrivals whose signature was verified before: a signature is good for five minutes, and some tests take longer. */
const verified = new WeakSet<Arrival>()

/** Throws unless each arrival is signed with the secret, and every arrival of a delivery has the same body. */
export const verifyArrivals = (arrivals: ReadonlyArray<Arrival>, secret: string): ReadonlyMap<string, Arrival> => {
  const verifier = new Webhook(Buffer.from(secret, "utf8").toString("base64"))
  const byId = new Map<string, Arrival>()
  for (const arrival of arrivals) {
    if (!verified.has(arrival)) verifier.verify(arrival.body, arrival.headers)
    verified.add(arrival)
    const first = byId.get(arrival.id)
    if (first !== undefined && first.body !== arrival.body) throw new Error(`Two bodies of one delivery: ${arrival.id}`)
    byId.set(arrival.id, first ?? arrival)
  }
  return byId
}
