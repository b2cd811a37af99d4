import { Effect } from "effect"
import type { Actor, Caller } from "../../../domain/access/Caller.ts"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"

/** Runs what is written to an organisation on behalf of somebody who is no caller of it. */
export const actingIn =
  (organisation: Organisation, actor: Actor, request_id: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, CurrentCaller>> => {
    const caller: Caller = { organisation, actor, scope: "WRITE", request_id }
    return Effect.provideService(effect, CurrentCaller, caller)
  }
