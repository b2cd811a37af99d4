import { Clock, Effect, Layer } from "effect"
import { Limits } from "../../domain/kernel/Limits.ts"
import { WebhookTransport } from "../../ports/outbox/WebhookTransport.ts"
import { Connections } from "./Connections.ts"
import { Exchange } from "./Exchange.ts"
import { Names } from "./Names.ts"
import { type Resolve, resolveDns } from "./Resolver.ts"

/** The options of a transport. */
export interface TransportOptions {
  /** Looks host names up; by the hosts file and the name servers of the host when absent. */
  readonly resolve?: Resolve
  /** The one deadline over a whole exchange, milliseconds; {@link Limits.webhookTimeoutMillis} when absent. */
  readonly timeoutMillis?: number
  /** Kept connections without an exchange, over all receivers; 512 when absent, as many as a worker uses at most. */
  readonly idleConnections?: number
}

/** The connections and names of a transport. Closing them ends the exchanges that wait for them. */
const open = (options: TransportOptions) => {
  const connections = new Connections(options.idleConnections ?? 512)
  const names = new Names(options.resolve ?? resolveDns())
  const close = () => {
    const closed = connections.close()
    names.close()
    return closed
  }
  return { connections, names, close }
}

/**
 * Deliveries over HTTP/1.1 with your own options. An answer is decided when its headers arrive; its body is read for
 * the excerpt until it ends, exceeds what is worth reading, breaks off, or meets the deadline. Closing the layer's
 * scope ends look-ups and closes all connections; exchanges without an answer end as `connection_failed`.
 */
export const layerWith = (options: TransportOptions): Layer.Layer<WebhookTransport> =>
  Layer.effect(
    WebhookTransport,
    Effect.gen(function* () {
      const { connections, names } = yield* Effect.acquireRelease(
        Effect.sync(() => open(options)),
        ({ close }) => Effect.promise(close)
      )
      const clock = yield* Clock.Clock
      const context = {
        connections,
        names,
        now: () => Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000,
        timeoutMillis: options.timeoutMillis ?? Limits.webhookTimeoutMillis
      }
      return WebhookTransport.of({
        post: (request) =>
          Effect.callback((resume) => {
            const exchange = new Exchange(request, context, (outcome) => resume(Effect.succeed(outcome)))
            exchange.start()
            return Effect.sync(() => exchange.cancel())
          })
      })
    })
  )

/** Deliveries over HTTP/1.1. */
export const layer: Layer.Layer<WebhookTransport> = layerWith({})
