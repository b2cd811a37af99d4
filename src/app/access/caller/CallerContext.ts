import { Effect } from "effect"
import type { Actor, Caller } from "../../../domain/access/Caller.ts"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { authorize, authorizeStaff, type Requirement, type StaffRequirement } from "../../../domain/access/Policy.ts"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import { SandboxClockStore } from "../../../ports/access/SandboxClockStore.ts"
import { byClockAhead } from "../../../ports/kernel/AheadClock.ts"
import { readCaller } from "./CallerCheck.ts"

/** Runs what is written to an organisation on behalf of somebody who is no caller of it. */
export const actingIn =
  (organisation: Organisation, actor: Actor, request_id: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, CurrentCaller>> => {
    const caller: Caller = { organisation, actor, scope: "WRITE", request_id }
    return Effect.provideService(effect, CurrentCaller, caller)
  }

/** Runs what is done to an organisation by its own clock, which a sandbox may have moved. */
export const makeOrganisationTime = Effect.map(
  SandboxClockStore,
  (clocks) =>
    (organisation_id: OrganisationId) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.flatMap(clocks.ahead(organisation_id), (ahead) => byClockAhead(effect, ahead))
)

/** The same for an organisation that is at hand. Live ones have the real time, and nothing is asked. */
export const makeTimeOf = Effect.map(
  makeOrganisationTime,
  (timeOf) =>
    ({ id, is_sandbox }: Pick<Organisation, "id" | "is_sandbox">) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      is_sandbox ? timeOf(id)(effect) : effect
)

/** Runs what a caller asks for by the clock of the caller's organisation. */
export const makeCallersTime = Effect.map(
  makeTimeOf,
  (timeOf) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | CurrentCaller> =>
      Effect.flatMap(CurrentCaller, ({ organisation }) => timeOf(organisation)(effect))
)

/** An operation, of which only the requirement is read. */
export interface WithRequirement<R> {
  readonly requires: R
}

/** The caller, when its scope and plan permit the operation; fails with {@link Forbidden} otherwise. */
export const requireScope = Effect.fnUntraced(function* ({ requires }: WithRequirement<Requirement>) {
  const caller = yield* CurrentCaller
  yield* Effect.fromResult(authorize(caller, requires))
  return caller
})

/** The caller, when it may do what is not for API keys; fails with {@link Forbidden} otherwise. */
export const requireStaff = Effect.fnUntraced(function* ({ requires }: WithRequirement<StaffRequirement>) {
  const caller = yield* CurrentCaller
  yield* Effect.fromResult(authorizeStaff(caller, requires))
  return caller
})

/** The caller, as {@link requireScope} or {@link requireStaff} has it. */
export const requireAnyScope = (requires: Requirement | StaffRequirement) =>
  requires.who === "caller" ? requireScope({ requires }) : requireStaff({ requires })

/** The caller, which a host may have made by itself; fails with {@link MalformedInput} where it is none. */
export const validCaller = Effect.flatMap(CurrentCaller, (caller) => Effect.fromResult(readCaller(caller)))
