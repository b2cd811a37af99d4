import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import fc from "fast-check"
import { Membership, mayEdit, NewUser, roles, userEmailKey } from "../../../src/domain/access/Membership.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { forEvery } from "../../support/Property.ts"

describe("a membership", () => {
  it("lets admins and editors change records, and viewers read", () =>
    forEvery(arbitraryOf(Membership), fc.constantFrom(...roles), (any, role) => {
      assert.strictEqual(mayEdit({ ...any, role }), role === "ADMIN" || role === "EDITOR")
    }))

  it("is of one of three roles, the most powerful first", () => {
    assert.deepStrictEqual([...roles], ["ADMIN", "EDITOR", "VIEWER"])
  })
})

it("a user is found by e-mail address whatever its case, and is made of one", () => {
  forEvery(fc.emailAddress(), (email) => {
    assert.strictEqual(userEmailKey(email.toUpperCase()), userEmailKey(email))
  })
  assert.isFalse(Schema.is(NewUser)({ email: "nobody", name: "Bea" }))
})
