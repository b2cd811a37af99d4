import { Deferred, Effect, Option } from "effect"
import { isWellFormed } from "../../domain/access/ApiKey.ts"
import type { Caller } from "../../domain/access/Caller.ts"
import { ApiKeyStore } from "../../ports/access/ApiKeyStore.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Service } from "../kernel/service/Service.ts"
import { monotonicOf } from "../kernel/time/Monotonic.ts"
import { KeyCache, type KeyOwner } from "./key/KeyCache.ts"

/** The caller of an authenticated request. */
export const callerOf = ({ key, organisation }: KeyOwner, request_id: string): Caller => ({
  organisation,
  actor: { type: "API_KEY", id: key.id },
  scope: key.scope,
  request_id
})

/** A look-up under way, and the cache's epoch when it began. */
interface Asking {
  readonly since: number
  readonly found: Deferred.Deferred<KeyOwner | undefined>
}

/** Recognises API keys. service-spec, Authentication. */
export class Authentication extends Service<Authentication>()("almoner/app/Authentication", function* () {
  const store = yield* ApiKeyStore
  const tokens = yield* Tokens
  const cache = yield* KeyCache
  const asking = new Map<string, Asking>()

  const ask = Effect.fnUntraced(function* (bearer: string, now: number, since: number) {
    const found = yield* store.findActive(yield* tokens.digest(bearer))
    if (Option.isSome(found)) cache.remember(bearer, found.value, now, since)
    else cache.disown(bearer)
    return Option.getOrUndefined(found)
  })

  /** A look-up under way that others may join. After a key has changed, nobody joins one that began before. */
  const underWay = (bearer: string): Asking | undefined => {
    const known = asking.get(bearer)
    return known?.since === cache.epoch() ? known : undefined
  }

  /** The cached result for a bearer text; undefined when it must be looked up. */
  const recall = (bearer: string): Effect.Effect<KeyOwner | undefined> =>
    Effect.clockWith((clock) => Effect.succeed(cache.recall(bearer, monotonicOf(clock))))

  /** Whether a text was a valid key here within the last hour: whoever sends it may look it up again. */
  const wasValid = (bearer: string): Effect.Effect<boolean> =>
    Effect.clockWith((clock) => Effect.succeed(cache.wasValid(bearer, monotonicOf(clock))))

  /** The result of a look-up of this text that is under way; undefined when there is none. */
  const joining = (bearer: string): Effect.Effect<KeyOwner | undefined> | undefined => {
    const asked = underWay(bearer)
    return asked === undefined ? undefined : Deferred.await(asked.found)
  }

  /** Looks a well-formed text up in the store, equal texts once at a time; undefined when unknown or revoked. */
  const lookUp = (bearer: string): Effect.Effect<KeyOwner | undefined> =>
    Effect.clockWith((clock) => {
      const joined = joining(bearer)
      if (joined !== undefined) return joined
      const mine: Asking = { since: cache.epoch(), found: Deferred.makeUnsafe() }
      asking.set(bearer, mine)
      return ask(bearer, monotonicOf(clock), mine.since).pipe(
        Effect.onExit((exit) => {
          if (asking.get(bearer) === mine) asking.delete(bearer)
          return Deferred.done(mine.found, exit)
        }),
        // Those who joined wait for its end.
        Effect.uninterruptible
      )
    })

  /** The key and organisation of a bearer text; undefined when it is no key, unknown or revoked. */
  const authenticate = (bearer: string): Effect.Effect<KeyOwner | undefined> =>
    Effect.flatMap(recall(bearer), (remembered) =>
      remembered !== undefined || !isWellFormed(bearer) ? Effect.succeed(remembered) : lookUp(bearer)
    )

  return { authenticate, recall, wasValid, joining, lookUp } as const
}) {}
