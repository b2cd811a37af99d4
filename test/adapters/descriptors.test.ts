import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import fc from "fast-check"
import { connectionsWithin } from "../../src/adapters/cli/Descriptors.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { forEvery } from "../support/Property.ts"

const some = fc.integer({ min: 2, max: 2_000_000 })

describe("connections and the files that a process may open", () => {
  it("leave half of the files to everything else, and three quarters where nobody asked for more", () =>
    forEvery(some, some, (asked, limit) => {
      const given = connectionsWithin(Option.some(asked), Option.some(limit))
      assert.isAtMost(2 * given, limit)
      assert.isAtMost(given, asked)
      if (2 * asked <= limit) assert.strictEqual(given, asked)
      const standard = connectionsWithin(Option.none(), Option.some(limit))
      assert.isAtMost(standard, Math.max(1, limit / 4))
      assert.isAtMost(standard, Limits.connections)
      assert.isAtLeast(Math.min(given, standard), 1)
      if (limit >= 4 * Limits.connections) assert.strictEqual(standard, Limits.connections)
    }))

  it("are as many as were asked for where the system sets no limit", () => {
    assert.strictEqual(connectionsWithin(Option.none(), Option.none()), Limits.connections)
    assert.strictEqual(connectionsWithin(Option.some(1_000_000), Option.none()), 1_000_000)
  })
})
