import { Context, Effect, Layer, type Scope } from "effect"

type Step = Effect.Effect<unknown, unknown, unknown>

/** A service with what makes it, and the layer that does. */
export interface MadeService<Self, Key extends string, Shape, E, R> extends Context.ServiceClass<Self, Key, Shape> {
  readonly make: Effect.Effect<Shape, E, R>
  readonly layer: Layer.Layer<Self, E, Exclude<R, Scope.Scope>>
}

/** A service that is made by what a generator does: `class Donors extends Service<Donors>()(…) {}`. */
export function Service<Self>(): <const Key extends string, Y extends Step, Shape>(
  key: Key,
  make: () => Generator<Y, Shape, never>
) => MadeService<Self, Key, Shape, Effect.Error<Y>, Effect.Services<Y>>
export function Service() {
  return (key: string, make: () => Generator<Step, unknown, never>) =>
    class extends Context.Service<unknown>()(key, { make: Effect.gen(make) }) {
      static readonly layer = Layer.effect(this, this.make)
    }
}
