import { Effect } from "effect"
import { authorize, authorizeStaff, type Requirement, type StaffRequirement } from "../../../domain/access/Policy.ts"
import { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import { readCaller } from "./SoundCaller.ts"

/** The caller, when its scope and plan permit the operation; fails with {@link Forbidden} otherwise. */
export const permitted = Effect.fnUntraced(function* (requirement: Requirement) {
  const caller = yield* CurrentCaller
  yield* Effect.fromResult(authorize(caller, requirement))
  return caller
})

/** The caller, when it may do what is not for API keys; fails with {@link Forbidden} otherwise. */
export const permittedToStaff = Effect.fnUntraced(function* (requirement: StaffRequirement) {
  const caller = yield* CurrentCaller
  yield* Effect.fromResult(authorizeStaff(caller, requirement))
  return caller
})

/** The caller, as {@link permitted} or {@link permittedToStaff} has it. */
export const permittedAny = (requirement: Requirement | StaffRequirement) =>
  requirement.who === "caller" ? permitted(requirement) : permittedToStaff(requirement)

/** The caller, which a host may have made by itself; fails with {@link MalformedInput} where it is none. */
export const soundCaller = Effect.flatMap(CurrentCaller, (caller) => Effect.fromResult(readCaller(caller)))
