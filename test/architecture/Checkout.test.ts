import { assert, describe, it } from "@effect/vitest"
import { readCheckout } from "./Checkout.ts"
import { rules } from "./Rules.ts"

describe("the checkout", () => {
  const files = readCheckout()

  for (const { check, name } of rules) {
    it(name, () => {
      const violations = check(files).map(({ found, line, path }) => `${path}:${line} ${found}`)
      assert.deepStrictEqual(violations, [])
    })
  }
})
