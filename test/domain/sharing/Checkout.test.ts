import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { ClosedReason, instead, Target } from "../../../src/domain/sharing/Checkout.ts"
import { hasForm } from "../../support/InputForms.ts"

describe("a page that takes gifts", () => {
  const names = ["slug", "embed_token", "code", "url_key"]

  it.each(names)("is named by its %s, and by nothing besides", (name) => {
    const named = { organisation: "relief", [name]: "abc" }
    assert.isTrue(Schema.is(Target)(named))
    assert.isTrue(hasForm(Target, named))
    assert.isTrue(hasForm(Target, { ...named, dt: "token", campaign: "spring" }))
    for (const other of names.filter((each) => each !== name)) {
      assert.isTrue(hasForm(Target, { ...named, [other]: null }))
      assert.isFalse(hasForm(Target, { ...named, [other]: "abc" }))
    }
  })

  it("has a name", () => assert.isFalse(hasForm(Target, { dt: "token" })))

  it("that is closed says why, and what to do instead", () => {
    assert.isNotEmpty(Object.keys(instead))
    for (const [reason, advice] of Object.entries(instead)) {
      assert.isTrue(Schema.is(ClosedReason)(reason), reason)
      assert.match(advice, /\.$/)
    }
  })
})
