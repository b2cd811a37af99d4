import { Effect, type Exit, Semaphore } from "effect"
import { InHostTransaction } from "../app/access/caller/PresentCaller.ts"
import { KeyCache } from "../app/access/key/KeyCache.ts"
import type { Attempt } from "../client/Attempt.ts"
import type { Caller } from "../domain/access/Caller.ts"
import { Transaction } from "../ports/kernel/Transaction.ts"
import { DeliverySignal } from "../ports/outbox/DeliverySignal.ts"
import type { Almoner } from "./Almoner.ts"
import type { AlmonerUnavailable } from "./AlmonerUnavailable.ts"
import type { Application } from "./Application.ts"
import type { Backend } from "./Backend.ts"
import { authenticateWithin, findCaller } from "./Callers.ts"
import { attempt, makeApi, makeCallerApi } from "./Face.ts"
import type { Api, CallerApi } from "./FaceTypes.ts"
import type { NoEvents } from "./HostEvents.ts"

/**
 * The use cases inside a transaction that the host has open. Each call is a savepoint: one that fails leaves nothing
 * behind and the host's transaction usable. Calls take turns. The host commits or rolls back, and that decides about
 * all of their writes.
 */
export interface Within<Events = NoEvents> extends Api<Events> {
  readonly as: (caller: Caller) => CallerApi<Events>
  /** As that of `Almoner`: also for an organisation that was made in this transaction. */
  readonly caller: Almoner["caller"]
  /** As that of `Almoner`: also for a key that was made in this transaction, which nobody else may use before it commits. */
  readonly authenticate: Almoner["authenticate"]
  /**
   * Tells this process, after the host's commit, that there may be something to deliver and that keys and organisations
   * may have changed. It saves the wait for the next poll, of a second or five; nothing else depends on it.
   */
  readonly committed: () => Attempt<void, AlmonerUnavailable>
}

/** Runs an effect over the services of an `Almoner`. */
export type RunApplication = <A, E>(effect: Effect.Effect<A, E, Application>) => Promise<Exit.Exit<A, E>>

const hint = Effect.gen(function* () {
  yield* (yield* KeyCache).forget
  yield* (yield* DeliverySignal).raise
})

/** Makes the APIs within the host's transactions. Calls on one client take turns, whichever API they come through. */
export const makeWithin = <Client, Events>(run: RunApplication, within: Backend<Client>["within"]) => {
  const turns = new WeakMap<object, Semaphore.Semaphore>()

  const turnOf = (client: Client): Semaphore.Semaphore => {
    const key: object = Object(client)
    const turn = turns.get(key) ?? Semaphore.makeUnsafe(1)
    turns.set(key, turn)
    return turn
  }

  return (client: Client): Within<Events> => {
    const turn = turnOf(client)
    const inside = within(client)
    // The host's statements wait from the call on, while it waits for its turn, too.
    const runWithin: RunApplication = (effect) =>
      run(
        inside(
          turn.withPermit(
            Effect.flatMap(Transaction, (transaction) =>
              transaction.run(Effect.provideService(effect, InHostTransaction, true))
            )
          )
        )
      )
    return {
      ...makeApi<Events>(runWithin),
      as: (caller) => makeCallerApi(runWithin, caller),
      caller: (user) => attempt(runWithin(findCaller(user))),
      authenticate: (apiKey, request_id) => attempt(runWithin(authenticateWithin(apiKey, request_id))),
      committed: () => attempt(run(hint))
    }
  }
}
