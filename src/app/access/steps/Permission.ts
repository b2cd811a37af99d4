import { Effect } from "effect"
import { authorize, authorizeStaff, type Requirement, type StaffRequirement } from "../../../domain/access/Policy.ts"
import { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import { readCaller } from "./SoundCaller.ts"

/** An operation, of which only its requirement is looked at. */
export interface Requiring<R> {
  readonly requires: R
}

/** The caller, when its scope and plan permit the operation; fails with {@link Forbidden} otherwise. */
export const permitted = Effect.fnUntraced(function* ({ requires }: Requiring<Requirement>) {
  const caller = yield* CurrentCaller
  yield* Effect.fromResult(authorize(caller, requires))
  return caller
})

/** The caller, when it may do what is not for API keys; fails with {@link Forbidden} otherwise. */
export const permittedToStaff = Effect.fnUntraced(function* ({ requires }: Requiring<StaffRequirement>) {
  const caller = yield* CurrentCaller
  yield* Effect.fromResult(authorizeStaff(caller, requires))
  return caller
})

/** The caller, as {@link permitted} or {@link permittedToStaff} has it. */
export const permittedAny = (requires: Requirement | StaffRequirement) =>
  requires.who === "caller" ? permitted({ requires }) : permittedToStaff({ requires })

/** The caller, which a host may have made by itself; fails with {@link MalformedInput} where it is none. */
export const soundCaller = Effect.flatMap(CurrentCaller, (caller) => Effect.fromResult(readCaller(caller)))
