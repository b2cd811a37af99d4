import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import type { Caller } from "../../../src/domain/access/Caller.ts"
import { Organisation } from "../../../src/domain/access/Organisation.ts"
import { covers, type Entitlement, entitlements, plans } from "../../../src/domain/access/Plan.ts"
import {
  authorize,
  authorizeStaff,
  type Requirement,
  reads,
  staffReads,
  staffWrites,
  writes
} from "../../../src/domain/access/Policy.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

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
  })
})

const requirement: fc.Arbitrary<Requirement> = fc
  .tuple(fc.constantFrom(reads, writes), fc.constantFrom(...plans))
  .map(([ask, plan]) => ask("gifts.weigh", plan))

describe("an operation", () => {
  it("asks READ or WRITE, on every plan where none is named", () => {
    const asked = { who: "caller", name: "gifts.weigh", plan: "FREE" } as const
    assert.deepStrictEqual(reads("gifts.weigh"), { ...asked, scope: "READ" })
    assert.deepStrictEqual(writes("gifts.weigh"), { ...asked, scope: "WRITE" })
    for (const plan of plans) assert.strictEqual(writes("gifts.weigh", plan).plan, plan)
  })

  it("is allowed exactly when the scope and the plan suffice", () =>
    forEveryWith({ numRuns: 300 }, caller, requirement, (who, asked) => {
      const allowed = (asked.scope === "READ" || who.scope === "WRITE") && covers(who.organisation.plan, asked.plan)
      const outcome = authorize(who, asked)
      assert.strictEqual(Result.isSuccess(outcome), allowed)
      if (Result.isFailure(outcome)) {
        assert.deepInclude(outcome.failure, { _tag: "Forbidden", operation: "gifts.weigh" })
      }
    }))

  it("is refused for its scope before its plan, in words that say so", () =>
    forEvery(caller, requirement, (who, asked) => {
      const outcome = authorize({ ...who, scope: "READ" }, asked)
      if (Result.isFailure(outcome)) {
        assert.strictEqual(outcome.failure.message.includes("WRITE"), asked.scope === "WRITE")
      }
    }))
})

describe("a refusal for the plan", () => {
  it.each([
    ["GROW", "the GROW plan or a higher one"],
    ["RAISE", "the RAISE plan or a higher one"],
    ["ENTERPRISE", "the ENTERPRISE plan"]
  ] as const)("names the plan: %s", (plan, words) => {
    const [who] = fc.sample(caller, 1)
    assert(who !== undefined)
    const organisation = { ...who.organisation, plan: "FREE" as const }
    const { message } = Result.getOrThrow(Result.flip(authorize({ ...who, organisation }, reads("gifts.weigh", plan))))
    assert.strictEqual(message, `This operation needs ${words}; the organisation has FREE.`)
  })
})

describe("what is not for API keys", () => {
  const actor = fc.constantFrom("API_KEY" as const, "USER" as const, "SYSTEM" as const)

  it("is refused to every key, and to people without the scope", () =>
    forEveryWith({ numRuns: 300 }, caller, actor, fc.constantFrom(staffReads, staffWrites), (who, type, ask) => {
      const asked = ask("gifts.weigh")
      assert.deepStrictEqual(asked, {
        who: "operator",
        name: "gifts.weigh",
        scope: ask === staffReads ? "READ" : "WRITE"
      })
      const outcome = authorizeStaff({ ...who, actor: { type, id: "somebody" } }, asked)
      const suffices = ask === staffReads || who.scope === "WRITE"
      assert.strictEqual(Result.isSuccess(outcome), type !== "API_KEY" && suffices)
      if (Result.isFailure(outcome)) {
        assert.deepInclude(outcome.failure, { _tag: "Forbidden", operation: "gifts.weigh" })
      }
    }))
})
