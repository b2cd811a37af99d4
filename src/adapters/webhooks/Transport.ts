import { Effect, Layer } from "effect"
import { Limits } from "../../domain/Limits.ts"
import { WebhookTransport } from "../../ports/WebhookTransport.ts"
import { Connections } from "./Connections.ts"
import { Exchange } from "./Exchange.ts"
import { type Resolve, resolveSystem } from "./Resolver.ts"

/** How deliveries travel. */
export interface TransportOptions {
  /** Looks host names up; the operating system's resolver when absent. */
  readonly resolve?: Resolve
  /** The one deadline over a whole exchange, milliseconds; {@link Limits.webhookTimeoutMillis} when absent. */
  readonly timeoutMillis?: number
  /** Connections kept without an exchange, over all receivers; 512 when absent: what a worker holds at most. */
  readonly idleConnections?: number
}

/**
 * Deliveries over HTTP/1.1 with options of one's own. An outcome with an `error` is a failure whatever its status: a
 * body that is still coming at the deadline is a `timeout` that shows the status. Closing the layer's scope closes all
 * connections; exchanges under way end as `connection_failed`.
 */
export const layerWith = (options: TransportOptions): Layer.Layer<WebhookTransport> =>
  Layer.effect(
    WebhookTransport,
    Effect.gen(function* () {
      const connections = yield* Effect.acquireRelease(
        Effect.sync(() => new Connections(options.idleConnections ?? 512)),
        (open) => Effect.promise(() => open.close())
      )
      const context = {
        connections,
        resolve: options.resolve ?? resolveSystem,
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
