import { Result } from "effect"
import { Forbidden } from "../kernel/Rejection.ts"
import type { Scope } from "./ApiKey.ts"
import type { Caller } from "./Caller.ts"
import { covers, type Plan, plans } from "./Plan.ts"

/** The scope and plan that an operation requires of its caller. decisions, section 3. */
export interface Requirement<out Name extends string = string, out S extends Scope = Scope> {
  readonly who: "caller"
  /** The operation's name in refusals and audit. */
  readonly name: Name
  readonly scope: S
  /** The lowest plan. */
  readonly plan: Plan
}

const asking =
  <const S extends Scope>(scope: S) =>
  <const Name extends string>(name: Name, plan: Plan = "FREE"): Requirement<Name, S> => ({
    who: "caller",
    name,
    scope,
    plan
  })

/** The requirement of an operation that changes nothing: the plan or a higher one; every plan when none is given. */
export const reads = asking("READ")

/** The requirement of an operation that changes something. */
export const writes = asking("WRITE")

/** Whether a caller may do this: first the key's scope, then the plan. Fails with `Forbidden`. decisions, section 2, step 6. */
export const authorize = (
  caller: Caller,
  { name: operation, plan, scope }: Requirement
): Result.Result<void, Forbidden> => {
  if (scope === "WRITE" && caller.scope !== "WRITE") {
    return Result.fail(
      new Forbidden({
        operation,
        message: "This operation needs a key with WRITE scope; this one has READ. Use another key."
      })
    )
  }
  if (!covers(caller.organisation.plan, plan)) {
    const needed = plan === plans.at(-1) ? `the ${plan} plan` : `the ${plan} plan or a higher one`
    const message = `This operation needs ${needed}; the organisation has ${caller.organisation.plan}.`
    return Result.fail(new Forbidden({ operation, message }))
  }
  return Result.void
}

/**
 * The requirement of an operation for the people of an organisation and the operators of the installation, who use the
 * console, the command line or a host. No API key may do it, or a key could make itself another. decisions, section 9.
 */
export interface StaffRequirement<out Name extends string = string, out S extends Scope = Scope> {
  readonly who: "operator"
  /** The operation's name in refusals and audit. */
  readonly name: Name
  readonly scope: S
}

const askingStaff =
  <const S extends Scope>(scope: S) =>
  <const Name extends string>(name: Name): StaffRequirement<Name, S> => ({ who: "operator", name, scope })

/** The requirement of an operation that is not for API keys and changes nothing. */
export const staffReads = askingStaff("READ")

/** The requirement of an operation that is not for API keys and changes something. */
export const staffWrites = askingStaff("WRITE")

/** Whether a caller may do what is not for API keys. Fails with `Forbidden`. */
export const authorizeStaff = (
  caller: Caller,
  { name: operation, scope }: StaffRequirement
): Result.Result<void, Forbidden> => {
  if (caller.actor.type === "API_KEY") {
    return Result.fail(new Forbidden({ operation, message: "This operation is not for API keys." }))
  }
  return scope === "READ" || caller.scope === "WRITE"
    ? Result.void
    : Result.fail(new Forbidden({ operation, message: "This operation needs WRITE scope." }))
}
