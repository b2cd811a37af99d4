import { assert, describe, it } from "@effect/vitest"
import { readCheckout } from "./Checkout.ts"
import { rules } from "./Rules.ts"
import { unusedPublicFiles } from "./SubjectRules.ts"

describe("the checkout", () => {
  const files = readCheckout()

  for (const { check, name } of rules) {
    it(name, () => {
      const violations = check(files).map(({ found, line, path }) => `${path}:${line} ${found}`)
      assert.deepStrictEqual(violations, [])
    })
  }

  it("no file of a subject is called public that nothing else imports", () => {
    assert.deepStrictEqual(unusedPublicFiles(files.filter(({ path }) => /^src\/.*\.ts$/.test(path))), [])
  })
})
