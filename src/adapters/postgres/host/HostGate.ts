import { Predicate } from "effect"
import type { HostClient } from "./HostConnection.ts"

/** A client whose statements of the host wait. */
export interface Gate {
  /** The client for those whom the others wait for. */
  readonly direct: HostClient
  /** Sends what has waited, in its order, and lets the host through again. */
  readonly open: () => void
}

const callbackOf = (args: ReadonlyArray<unknown>): unknown => {
  const [asked] = args
  const last = args.at(-1)
  if (Predicate.isFunction(last)) return last
  return Predicate.hasProperty(asked, "callback") && Predicate.isFunction(asked.callback) ? asked.callback : undefined
}

/** A cursor or a stream of the driver, which is given back before it is sent. */
const isSubmittable = (asked: unknown): boolean =>
  Predicate.hasProperty(asked, "submit") && Predicate.isFunction(asked.submit)

/**
 * Makes the statements that a host runs on its client wait until the gate is opened. One that the host does not await
 * would else be sent between a savepoint of ours and its end, and be undone with it, though the host was told that it
 * was done. Throws a `TypeError` for a client that cannot be held back. docs/decisions/0049.
 */
export const closeGate = (client: HostClient): Gate => {
  const before = Object.getOwnPropertyDescriptor(client, "query")
  const { query } = client
  const waiting: Array<() => void> = []
  let isOpen = false

  const gated = (...args: ReadonlyArray<unknown>): unknown => {
    const send = (): unknown => Reflect.apply(query, client, args)
    if (isOpen) return send()
    const [asked] = args
    const callback = callbackOf(args)
    if (isSubmittable(asked) || callback !== undefined) {
      waiting.push(() => void send())
      return isSubmittable(asked) ? asked : undefined
    }
    return new Promise((resolve) => {
      // An error that it throws rejects the promise.
      waiting.push(() => resolve((async () => send())()))
    })
  }

  Object.defineProperty(client, "query", { configurable: true, enumerable: false, writable: true, value: gated })
  return {
    direct: { query: (asked) => Reflect.apply(query, client, [asked]) },
    open: () => {
      isOpen = true
      // Whatever somebody else has put in its place since calls this one, which lets through.
      if (Object.getOwnPropertyDescriptor(client, "query")?.value === gated) {
        if (before === undefined) Reflect.deleteProperty(client, "query")
        else Object.defineProperty(client, "query", before)
      }
      for (const send of waiting.splice(0)) send()
    }
  }
}
