import { type Context, Effect, Layer } from "effect"

/** A port as it is but for what a test changes of it. */
export const changePort = <I, S extends object>(
  port: Context.Service<I, S>,
  change: (inner: S) => Partial<NoInfer<S>>
): Layer.Layer<I, never, I> =>
  Layer.effect(
    port,
    Effect.map(port, (inner) => ({ ...inner, ...change(inner) }))
  )
