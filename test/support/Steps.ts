import { it, layer, type Vitest } from "@effect/vitest"
import { Effect, type Layer, type Scope } from "effect"

/** The steps of a test, as `Effect.gen` takes them. */
type Steps<R> = () => Generator<Effect.Effect<unknown, unknown, R>, unknown, never>

type Declare<R> = (name: string, steps: Steps<R>, timeout?: number) => void

const declare =
  <R>(test: Vitest.Test<R>): Declare<R> =>
  (name, steps, timeout) =>
    test(name, () => Effect.gen(steps), timeout)

export const effect = declare(it.effect)
export const live = declare(it.live)

/** Tests that each build the layer anew; what they fork ends before it does. */
export const withFresh = <R, E>(world: Layer.Layer<R, E>) => {
  const within =
    (test: Vitest.Test<Scope.Scope>): Declare<R | Scope.Scope> =>
    (name, steps, timeout) =>
      test(name, () => Effect.provide(Effect.scoped(Effect.gen(steps)), world), timeout)
  return { effect: within(it.effect), live: within(it.live) }
}

/** Tests that share a layer, as `layer` of `@effect/vitest` has them. */
export const withLayer =
  <R, E>(world: Layer.Layer<R, E>, options?: Parameters<typeof layer>[1]) =>
  (
    name: string,
    tests: (declared: { readonly effect: Declare<R | Scope.Scope>; readonly it: Vitest.MethodsNonLive<R> }) => void
  ): void =>
    layer(world, options)(name, (it) => tests({ effect: declare(it.effect), it }))
