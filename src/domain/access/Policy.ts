import { Result } from "effect"
import { Forbidden } from "../kernel/Rejection.ts"
import type { Scope } from "./ApiKey.ts"
import type { Caller } from "./Caller.ts"
import { covers, entitlements, type Plan, plans } from "./Plan.ts"

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
  "organisations.list": read,
  "organisations.read": read,
  "donors.create": write,
  "donors.list": read,
  "donors.read": read,
  "donors.update": write,
  "donors.archive": write,
  "donors.merge": write,
  "contact_logs.create": write,
  "contact_logs.list": read,
  "contact_logs.read": read,
  "contact_logs.update": write,
  "contact_logs.delete": write,
  "donations.create": write,
  "donations.list": read,
  "donations.read": read,
  "donations.refund": write,
  "donations.list_refunds": read,
  "revenue_codes.create": write,
  "revenue_codes.list": read,
  "revenue_codes.read": read,
  "revenue_codes.update": write,
  "revenue_codes.archive": write,
  "forms.create": write,
  "forms.list": read,
  "forms.read": read,
  "forms.update": write,
  "forms.archive": write,
  "forms.mint_link": write,
  "checkout_links.create": write,
  "checkout_links.list": read,
  "checkout_links.read": read,
  "checkout_links.update": write,
  "checkout_links.cancel": write,
  "checkout_links.archive": write,
  "recipient_accounts.link": write,
  "recipient_accounts.list": read,
  "recipient_accounts.read": read,
  "recipient_accounts.update": write,
  "recipient_accounts.deactivate": write,
  "recommendation_sets.create": { scope: "WRITE", plan: entitlements["recommendation_sets.write"] },
  "recommendation_sets.list": read,
  "recommendation_sets.read": read,
  "recommendation_sets.update": { scope: "WRITE", plan: entitlements["recommendation_sets.write"] },
  "recommendation_sets.archive": write,
  "recommendation_sets.deactivate": write,
  "recommendation_sets.list_payments": read,
  "recommendation_sets.mint_link": write,
  "introductions.send": { scope: "WRITE", plan: entitlements["introductions.send"] },
  "introductions.list": read,
  "introductions.read": read,
  "introductions.resend_email": write,
  "introductions.revoke": write,
  "campaigns.list": { scope: "READ", plan: entitlements.campaigns },
  "campaigns.read": { scope: "READ", plan: entitlements.campaigns },
  "campaigns.read_stats": { scope: "READ", plan: entitlements.campaigns },
  "intelligence.read_worklist": { scope: "READ", plan: entitlements.donor_scoring },
  "intelligence.read_donor": { scope: "READ", plan: entitlements.donor_scoring },
  "segments.list": read,
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
 * What the people of an organisation and the operators of the installation do, in the console, on the command line and in
 * hosts: the scope that each asks for. No API key may do it, or a key could make itself another. decisions, section 9.
 */
export const staffOperations = {
  "api_keys.create": "WRITE",
  "api_keys.list": "READ",
  "api_keys.revoke": "WRITE",
  "api_keys.rotate": "WRITE",
  "audit.list": "READ",
  "integrations.create": "WRITE",
  "integrations.list": "READ",
  "integrations.rotate_passphrase": "WRITE",
  "mails.list": "READ",
  "organisations.rename": "WRITE",
  "organisations.set_plan": "WRITE",
  "refunds.fail": "WRITE",
  "refunds.list": "READ",
  "refunds.settle": "WRITE",
  "users.add_to_organisation": "WRITE",
  "users.remove_from_organisation": "WRITE",
  "webhook_deliveries.replay_since": "WRITE",
  "webhook_endpoints.test": "WRITE"
} as const satisfies Record<string, Scope>

export type StaffOperation = keyof typeof staffOperations

/** Whether a caller may do what is not for API keys. */
export const authorizeStaff = (caller: Caller, operation: StaffOperation): Result.Result<void, Forbidden> => {
  if (caller.actor.type === "API_KEY") {
    return Result.fail(new Forbidden({ operation, message: "This operation is not for API keys." }))
  }
  return staffOperations[operation] === "READ" || caller.scope === "WRITE"
    ? Result.void
    : Result.fail(new Forbidden({ operation, message: "This operation needs WRITE scope." }))
}
