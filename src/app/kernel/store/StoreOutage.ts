import { type Cause, Effect, Exit, Option } from "effect"
import { loggedCause } from "../../../ports/kernel/LoggedCause.ts"

const firstWaitMillis = 100
const longestWaitMillis = 5_000

/** The time to leave a store alone after so many failures in a row, milliseconds. */
export const waitAfterMillis = (failures: number): number =>
  Math.min(longestWaitMillis, firstWaitMillis * 2 ** Math.max(0, failures - 1))

/** Turns every failure of a store into none, so that a worker can wait and go on. */
export interface StoreOutage {
  watch<A>(effect: Effect.Effect<A>): Effect.Effect<Option.Option<A>>
}

/** Watches `name` on behalf of one worker. An outage is logged once when it begins and once when it is over. */
export const makeStoreOutage = (name: string): StoreOutage => {
  let isAway = false

  const away = (cause: Cause.Cause<never>): Effect.Effect<Option.Option<never>> => {
    const known = isAway
    isAway = true
    return known
      ? Effect.succeedNone
      : Effect.as(Effect.logWarning(`${name} cannot be used; waiting for it`, loggedCause(cause)), Option.none())
  }

  const back = <A>(answer: A): Effect.Effect<Option.Option<A>> => {
    if (!isAway) return Effect.succeedSome(answer)
    isAway = false
    return Effect.as(Effect.logInfo(`${name} answers again`), Option.some(answer))
  }

  return {
    // The mask tells an interruption of this fiber, which ends it after the mask, from one within the store.
    watch: (effect) =>
      Effect.uninterruptibleMask((restore) => Effect.exit(restore(effect))).pipe(
        Effect.flatMap((exit) => (Exit.isSuccess(exit) ? back(exit.value) : away(exit.cause)))
      )
  }
}
