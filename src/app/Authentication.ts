import { Context, Effect, Layer, Option } from "effect"
import { isWellFormed } from "../domain/ApiKey.ts"
import type { Caller } from "../domain/Caller.ts"
import { ApiKeyStore } from "../ports/ApiKeyStore.ts"
import { Tokens } from "../ports/Tokens.ts"
import { type Authenticated, KeyCache } from "./steps/KeyCache.ts"

/** The caller that an authenticated request has. */
export const callerOf = ({ key, organisation }: Authenticated, request_id: string): Caller => ({
  organisation,
  actor: { type: "API_KEY", id: key.id },
  scope: key.scope,
  request_id
})

/** Recognises API keys. service-spec, Authentication. */
export class Authentication extends Context.Service<Authentication>()("almoner/app/Authentication", {
  make: Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const tokens = yield* Tokens
    const cache = yield* KeyCache

    const lookUp = Effect.fnUntraced(function* (bearer: string, now: number) {
      const since = cache.epoch()
      const found = yield* store.findActive(yield* tokens.digest(bearer))
      if (Option.isSome(found)) cache.remember(bearer, found.value, now, since)
      return Option.getOrUndefined(found)
    })

    /** What a bearer text stands for; undefined when it is no key, unknown or revoked. */
    const authenticate = (bearer: string): Effect.Effect<Authenticated | undefined> =>
      Effect.clockWith((clock) => {
        const now = clock.currentTimeMillisUnsafe()
        const remembered = cache.recall(bearer, now)
        if (remembered !== undefined) return Effect.succeed(remembered)
        return isWellFormed(bearer) ? lookUp(bearer, now) : Effect.succeed(undefined)
      })

    return { authenticate } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
