import { Effect, Layer, Option } from "effect"
import { DeliveryStore } from "../../ports/DeliveryStore.ts"
import type { Served } from "./Command.ts"
import * as Demo from "./Demo.ts"
import type { Settings } from "./Settings.ts"

/** What a server is made of, beside the use cases in its context. */
export interface Parts<E, R> {
  readonly settings: Pick<Settings, "apiBaseUrl" | "dataDir" | "databaseUrl">
  /** What requests come in by, and the workers. They end together, before anything that they use. */
  readonly doors: Layer.Layer<never, E, R>
  readonly announce: (served: Served) => Effect.Effect<void>
}

/** Makes the demo on an empty database, opens the doors, says where they are, and goes on until the scope closes. */
export const serve = Effect.fnUntraced(function* <E, R>({ announce, doors, settings }: Parts<E, R>) {
  // The embedded database is this process's alone: whoever held a lease is gone.
  if (Option.isNone(settings.databaseUrl)) yield* (yield* DeliveryStore).releaseAll
  const demo = yield* Demo.ensure(settings.dataDir, settings.apiBaseUrl)
  yield* Layer.build(doors)
  const path = Demo.demoPath(settings.dataDir)
  yield* announce({
    base_url: settings.apiBaseUrl,
    demo_file: Option.isSome(demo) ? path : null,
    try_it: Option.isSome(demo) ? Demo.curlLine(path, settings.apiBaseUrl) : null
  })
  return yield* Effect.never
})
