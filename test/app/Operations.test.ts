import { assert, describe, it } from "@effect/vitest"
import { Context, DateTime, Effect, Exit } from "effect"
import fc from "fast-check"
import type { AnyOperation, DecodedArguments, Part, Parts } from "../../src/app/access/operation/Operation.ts"
import { uncheckedService } from "../../src/app/access/operation/ServiceChecks.ts"
import { operations } from "../../src/app/Operations.ts"
import type { Caller } from "../../src/domain/access/Caller.ts"
import { CurrentCaller } from "../../src/ports/access/CurrentCaller.ts"
import { organisation } from "../../src/testing/Generators.ts"
import { world } from "../adapters/CommandWorld.ts"
import { declaredOperations, guardedOperations, takesKey } from "../support/Declaration.ts"
import { withFresh } from "../support/Steps.ts"

const all = Object.values(operations).flatMap((group): ReadonlyArray<AnyOperation> => Object.values(group) as never)

/** Every operation for an organisation, and whoami, which no use case runs. */
const asked = [
  ...all.flatMap(({ requires }) => (requires === null ? [] : [requires])),
  ...guardedOperations.filter(({ operation }) => operation === "meta.whoami").map(({ requires }) => requires)
]

/** The verbs of operations that change nothing; every other one needs WRITE. decisions, section 1: Scopes. */
const reading = /\.(?:list\w*|read\w*|whoami|defaults|export|recount|uncoded|donor)$/

const { effect } = withFresh(world)

describe("an operation", () => {
  it("has a name of its own", () => {
    assert.strictEqual(new Set(asked.map(({ name }) => name)).size, asked.length)
    assert.isAbove(asked.length, 90)
  })

  it("needs WRITE exactly when it changes something", () => {
    for (const { name, scope } of asked) assert.strictEqual(scope, reading.test(name) ? "READ" : "WRITE", name)
  })

  it("is on every plan, where the contract names none", () => {
    const named = new Map([
      ["recommendation_sets.create", "ENTERPRISE"],
      ["recommendation_sets.update", "ENTERPRISE"],
      ["introductions.send", "RAISE"],
      ["campaigns.list", "RAISE"],
      ["campaigns.read", "RAISE"],
      ["campaigns.read_stats", "RAISE"],
      ["intelligence.read_worklist", "GROW"],
      ["intelligence.read_donor", "GROW"]
    ])
    for (const each of asked) {
      if (each.who === "caller") assert.strictEqual(each.plan, named.get(each.name) ?? "FREE", each.name)
    }
  })

  it("is keyed exactly when it is a POST or a PATCH of the contract, or tells of a host's own event", () => {
    const expected = [...declaredOperations.filter(takesKey).map(({ operation }) => operation), "events.emit"]
    const given = all.filter((operation) => operation.keyed).map(({ requires }) => requires?.name)
    assert.sameMembers(given, expected)
  })
})

/** Callers who may not do this, whatever they ask it about. */
const refusedOf = ({ requires }: AnyOperation): ReadonlyArray<Caller> => {
  const [someone] = fc.sample(organisation, { numRuns: 1, seed: 1 })
  if (someone === undefined || requires === null) return []
  const request_id = "req"
  const key = (scope: Caller["scope"], plan: Caller["organisation"]["plan"]): Caller => ({
    organisation: { ...someone, plan },
    actor: { type: "API_KEY", id: "key" },
    scope,
    request_id
  })
  if (requires.who === "operator") return [key("WRITE", "ENTERPRISE")]
  return [
    ...(requires.scope === "WRITE" ? [key("READ", "ENTERPRISE")] : []),
    ...(requires.plan === "FREE" ? [] : [key("WRITE", "FREE")])
  ]
}

/** An argument that is sound enough for what is refused. */
const argumentOf = ({ _tag }: Part): unknown => (_tag === "Value" ? "Ada" : { since: DateTime.makeUnsafe(0) })

describe("a use case", () => {
  effect("asks for what its operation says, before it looks at any record", function* () {
    const useCases = yield* Effect.context<never>()
    let tried = 0
    for (const operation of all) {
      // What a caller may do is looked at where the arguments are sound; here they are not.
      const use = uncheckedService(Context.getUnsafe(useCases, operation.service))
      const args = operation.input.map(argumentOf) as unknown as DecodedArguments<Parts>
      for (const caller of refusedOf(operation)) {
        tried += 1
        const running = operation.run(use, ...args) as Effect.Effect<unknown, unknown, CurrentCaller>
        const exit = yield* Effect.exit(Effect.provideService(running, CurrentCaller, caller))
        const failures = Exit.isFailure(exit) ? exit.cause.reasons : []
        assert.lengthOf(failures, 1, operation.requires?.name)
        const [failure] = failures.map((each) => (each._tag === "Fail" ? each.error : each))
        assert.deepInclude(
          failure,
          { _tag: "Forbidden", operation: operation.requires?.name },
          `${operation.requires?.name}: ${failure}`
        )
      }
    }
    assert.isAbove(tried, 60)
  })
})
