import { Context, Effect, Option } from "effect"
import type { Caller } from "../../../domain/access/Caller.ts"
import { Forbidden } from "../../../domain/kernel/Rejection.ts"
import { ApiKeyStore } from "../../../ports/access/ApiKeyStore.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { monotonicOf } from "../../kernel/time/Monotonic.ts"
import { KeyCache } from "../key/KeyCache.ts"

/** Whether a host's transaction is open, which may see what nobody else does and may be rolled back: nothing is remembered of it. */
export const InHostTransaction = Context.Reference<boolean>("almoner/app/InHostTransaction", {
  defaultValue: () => false
})

const revoked = (operation: string) =>
  Effect.fail(
    new Forbidden({ operation, message: "The API key of this caller was revoked. Authenticate another one." })
  )

const found = Effect.fnUntraced(function* ({ actor, organisation: { id }, scope }: Caller, operation: string) {
  const organisation = yield* (yield* OrganisationStore).find(id)
  if (actor.type === "API_KEY") {
    const keys = yield* (yield* ApiKeyStore).list(id)
    const key = keys.find((each) => each.id === actor.id)
    if (key === undefined || key.revoked_at !== null) return yield* revoked(operation)
    // A host may let a key do less than it may.
    const lesser = scope === "READ" ? scope : key.scope
    return Option.map(organisation, (present) => ({ organisation: present, scope: lesser }))
  }
  return Option.map(organisation, (present) => ({ organisation: present, scope }))
})

/**
 * A caller as its organisation and its key are now: a host may keep one for years, and a plan that changed and a key that was
 * revoked hold within five seconds, as over HTTP. Fails with {@link Forbidden} for a key that was revoked.
 */
export const presentCaller = Effect.fnUntraced(function* (caller: Caller, operation: string) {
  const isAlone = yield* InHostTransaction
  const cache = yield* KeyCache
  const now = yield* Effect.clockWith((clock) => Effect.succeed(monotonicOf(clock)))
  const { actor, organisation, scope } = caller
  const ids = `${organisation.id} ${scope} ${actor.type === "API_KEY" ? actor.id : ""}`
  const known = isAlone ? undefined : cache.recallCaller(ids, now)
  if (known !== undefined) return { ...caller, ...known }
  const since = cache.epoch()
  const present = yield* found(caller, operation)
  // A host that made an organisation's record up sees nothing: there is none.
  if (Option.isNone(present)) return caller
  if (!isAlone) cache.rememberCaller(ids, present.value, now, since)
  return { ...caller, ...present.value }
})
