import { Context, Effect, Layer } from "effect"
import type { ApiKey } from "../../domain/ApiKey.ts"
import { Limits } from "../../domain/Limits.ts"
import type { Organisation } from "../../domain/Organisation.ts"

/** What a bearer key stands for. */
export interface Authenticated {
  readonly key: ApiKey
  readonly organisation: Organisation
}

/**
 * The look-ups of the last five seconds. A change of a key or an organisation by this process empties it at once; one by
 * another process is seen when the five seconds are over.
 */
export class KeyCache extends Context.Service<KeyCache>()("almoner/app/KeyCache", {
  make: Effect.sync(() => {
    const remembered = new Map<string, { readonly found: Authenticated; readonly until: number }>()
    let epoch = 0
    return {
      /** Raised by every {@link forget}: a look-up that began before it must not be remembered after it. */
      epoch: () => epoch,
      recall: (bearer: string, nowMillis: number): Authenticated | undefined => {
        const entry = remembered.get(bearer)
        return entry !== undefined && entry.until > nowMillis ? entry.found : undefined
      },
      remember: (bearer: string, found: Authenticated, nowMillis: number, since: number): void => {
        if (since !== epoch) return
        if (remembered.size >= Limits.apiKeyCacheEntries) remembered.clear()
        remembered.set(bearer, { found, until: nowMillis + Limits.apiKeyCacheSeconds * 1000 })
      },
      forget: Effect.sync(() => {
        epoch += 1
        remembered.clear()
      })
    } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
