import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import type { Caller } from "../../../src/domain/access/Caller.ts"
import { Organisation } from "../../../src/domain/access/Organisation.ts"
import { covers, type Entitlement, entitlements, entitles, plans } from "../../../src/domain/access/Plan.ts"
import {
  authorize,
  authorizeStaff,
  type Operation,
  operations,
  type StaffOperation,
  staffOperations
} from "../../../src/domain/access/Policy.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"

const caller: fc.Arbitrary<Caller> = fc.record({
  organisation: arbitraryOf(Organisation),
  actor: fc.constant({ type: "API_KEY" as const, id: "key" }),
  scope: fc.constantFrom("READ", "WRITE"),
  request_id: fc.constant("req")
})

describe("plans", () => {
  it("are ordered FREE < GROW < RAISE < ENTERPRISE", () => {
    const ordered = ["FREE", "GROW", "RAISE", "ENTERPRISE"] as const
    assert.deepStrictEqual([...plans], [...ordered])
    for (const [rank, plan] of ordered.entries()) {
      for (const [lowestRank, lowest] of ordered.entries()) {
        assert.strictEqual(covers(plan, lowest), rank >= lowestRank, `${plan} covers ${lowest}`)
      }
    }
  })

  it("entitle from the lowest plan of the contract on", () => {
    const lowest: Record<Entitlement, (typeof plans)[number]> = {
      donor_scoring: "GROW",
      campaigns: "RAISE",
      "introductions.send": "RAISE",
      "recommendation_sets.write": "ENTERPRISE"
    }
    assert.deepStrictEqual<Record<Entitlement, string>>({ ...entitlements }, lowest)
    const names = ["donor_scoring", "campaigns", "introductions.send", "recommendation_sets.write"] as const
    for (const plan of plans) {
      for (const name of names) assert.strictEqual(entitles(plan, name), covers(plan, lowest[name]))
    }
  })
})

const isOperation = (name: string): name is Operation => Object.hasOwn(operations, name)
const names = Object.keys(operations).filter(isOperation)

/** The verbs of operations that change nothing; every other one needs WRITE. decisions, section 1: Scopes. */
const reads = /\.(?:list\w*|read\w*|whoami)$/

describe("an operation", () => {
  it("is allowed exactly when the scope and the plan suffice", () => {
    fc.assert(
      fc.property(caller, fc.constantFrom(...names), (who, operation) => {
        const { plan, scope } = operations[operation]
        const allowed = (scope === "READ" || who.scope === "WRITE") && covers(who.organisation.plan, plan)
        const outcome = authorize(who, operation)
        assert.strictEqual(Result.isSuccess(outcome), allowed)
        if (Result.isFailure(outcome)) assert.deepInclude(outcome.failure, { _tag: "Forbidden", operation })
      }),
      { numRuns: 300 }
    )
  })

  it("needs WRITE exactly when it changes something", () => {
    for (const name of names) assert.strictEqual(operations[name].scope, reads.test(name) ? "READ" : "WRITE", name)
  })

  it("is on every plan, where the contract names none", () => {
    const named: Partial<Record<Operation, string>> = {
      "recommendation_sets.create": "ENTERPRISE",
      "recommendation_sets.update": "ENTERPRISE",
      "introductions.send": "RAISE",
      "campaigns.list": "RAISE",
      "campaigns.read": "RAISE",
      "campaigns.read_stats": "RAISE",
      "intelligence.read_worklist": "GROW",
      "intelligence.read_donor": "GROW"
    }
    for (const name of names) assert.strictEqual(operations[name].plan, named[name] ?? "FREE", name)
  })

  it("is refused for its scope before its plan, in words that say so", () => {
    fc.assert(
      fc.property(caller, fc.constantFrom(...names), (who, operation) => {
        const outcome = authorize({ ...who, scope: "READ" }, operation)
        if (Result.isFailure(outcome) && operations[operation].scope === "WRITE") {
          assert.include(outcome.failure.message, "WRITE")
        }
      })
    )
  })
})

describe("what is not for API keys", () => {
  const isStaffOperation = (name: string): name is StaffOperation => Object.hasOwn(staffOperations, name)
  const staffNames = Object.keys(staffOperations).filter(isStaffOperation)
  const actor = fc.constantFrom("API_KEY" as const, "USER" as const, "SYSTEM" as const)

  it("needs WRITE exactly when it changes something", () => {
    for (const name of staffNames) assert.strictEqual(staffOperations[name], reads.test(name) ? "READ" : "WRITE", name)
  })

  it("is refused to every key, and to people without the scope", () => {
    fc.assert(
      fc.property(caller, actor, fc.constantFrom(...staffNames), (who, type, operation) => {
        const outcome = authorizeStaff({ ...who, actor: { type, id: "somebody" } }, operation)
        const suffices = staffOperations[operation] === "READ" || who.scope === "WRITE"
        assert.strictEqual(Result.isSuccess(outcome), type !== "API_KEY" && suffices)
        if (Result.isFailure(outcome)) assert.deepInclude(outcome.failure, { _tag: "Forbidden", operation })
      }),
      { numRuns: 300 }
    )
  })
})
