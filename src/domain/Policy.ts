import { Result } from "effect"
import type { Scope } from "./ApiKey.ts"
import type { Caller } from "./Caller.ts"
import { covers, type Plan } from "./Plan.ts"
import { Forbidden } from "./Rejection.ts"

/** What an operation asks of its caller. */
export interface Requirement {
  readonly scope: Scope
  /** The lowest plan. */
  readonly plan: Plan
}

const read: Requirement = { scope: "READ", plan: "FREE" }
const write: Requirement = { scope: "WRITE", plan: "FREE" }

/** Every operation and what it asks. One table for use cases, HTTP, reference and audit. decisions, section 3. */
export const operations = {
  "meta.whoami": read,
  "organisations.read_own": read,
  "organisations.update_own": write,
  "donors.create": write,
  "donors.list": read,
  "donors.read": read,
  "donors.update": write,
  "donors.archive": write,
  "donations.create": write,
  "donations.list": read,
  "donations.read": read,
  "revenue_codes.create": write,
  "revenue_codes.list": read,
  "revenue_codes.read": read,
  "revenue_codes.update": write,
  "revenue_codes.archive": write,
  "webhook_endpoints.create": write,
  "webhook_endpoints.list": read,
  "webhook_endpoints.read": read,
  "webhook_endpoints.update": write,
  "webhook_endpoints.delete": write,
  "webhook_endpoints.rotate_secret": write,
  "webhook_deliveries.list": read,
  "webhook_deliveries.read": read,
  "webhook_deliveries.replay": write,
  "events.list": read,
  "events.read": read
} as const satisfies Record<string, Requirement>

export type Operation = keyof typeof operations

/** Whether a caller may do this: first the key's scope, then the plan. decisions, section 2, step 6. */
export const authorize = (caller: Caller, operation: Operation): Result.Result<void, Forbidden> => {
  const { plan, scope }: Requirement = operations[operation]
  if (scope === "WRITE" && caller.scope !== "WRITE") {
    return Result.fail(new Forbidden({ operation, message: "This operation needs a key with WRITE scope." }))
  }
  if (!covers(caller.organisation.plan, plan)) {
    return Result.fail(new Forbidden({ operation, message: `This operation needs the ${plan} plan or a higher one.` }))
  }
  return Result.void
}
