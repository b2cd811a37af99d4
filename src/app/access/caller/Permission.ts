import { Effect } from "effect"
import { authorize, authorizeStaff, type Requirement, type StaffRequirement } from "../../../domain/access/Policy.ts"
import { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import { readCaller } from "./CallerCheck.ts"

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
