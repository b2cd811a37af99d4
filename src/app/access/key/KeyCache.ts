import { Context, Effect, Layer } from "effect"
import type { ApiKey } from "../../../domain/access/ApiKey.ts"
import type { Caller } from "../../../domain/access/Caller.ts"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"

/** The key and the organisation that a bearer token belongs to. */
export interface KeyOwner {
  readonly key: ApiKey
  readonly organisation: Organisation
}

/**
 * The look-ups of the last five seconds. A change of a key or an organisation by this process empties it at once; one by
 * another process is seen when the five seconds are over. Beside them, which keys were valid within the hour: that lets
 * nobody in, but lets them be looked up. Times are elapsed milliseconds, which no setting of the clock moves.
 */
export class KeyCache extends Context.Service<KeyCache>()("almoner/app/KeyCache", {
  make: Effect.sync(() => {
    // In the order of their last look-ups: the first one was valid longest ago.
    const valid = new Map<string, number>()
    let epoch = 0

    const lookUps = <Found>() => {
      const kept = new Map<string, { readonly found: Found; readonly until: number }>()
      return {
        recall: (name: string, now: number): Found | undefined => {
          const entry = kept.get(name)
          return entry !== undefined && entry.until > now ? entry.found : undefined
        },
        remember: (name: string, found: Found, now: number, since: number): void => {
          if (since !== epoch) return
          if (kept.size >= Limits.apiKeyCacheEntries) kept.clear()
          kept.set(name, { found, until: now + Limits.apiKeyCacheSeconds * 1000 })
        },
        clear: () => kept.clear()
      }
    }
    const owners = lookUps<KeyOwner>()
    const callers = lookUps<Pick<Caller, "organisation" | "scope">>()

    const markValid = (bearer: string, now: number): void => {
      valid.delete(bearer)
      const [first] = valid.keys()
      if (valid.size >= Limits.apiKeyCacheEntries && first !== undefined) valid.delete(first)
      valid.set(bearer, now + Limits.apiKeyKnownSeconds * 1000)
    }

    return {
      /** Raised by every {@link forget}: a look-up that began before it must not be remembered after it. */
      epoch: () => epoch,
      recall: owners.recall,
      /** Whether a look-up found this key within the hour, and none has missed it since. */
      wasValid: (bearer: string, now: number): boolean => (valid.get(bearer) ?? Number.NEGATIVE_INFINITY) > now,
      remember: (bearer: string, found: KeyOwner, now: number, since: number): void => {
        markValid(bearer, now)
        owners.remember(bearer, found, now, since)
      },
      /** The organisation of a caller and its scope, as a look-up by id found them. */
      recallCaller: callers.recall,
      rememberCaller: callers.remember,
      /** A look-up did not find this key. */
      disown: (bearer: string): void => {
        valid.delete(bearer)
      },
      forget: Effect.sync(() => {
        epoch += 1
        owners.clear()
        callers.clear()
      })
    } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
