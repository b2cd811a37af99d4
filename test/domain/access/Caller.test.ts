import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { Actor, RequestId } from "../../../src/domain/access/Caller.ts"

it("who acts is a key, a person or the system itself, by a name", () => {
  const isActor = Schema.is(Actor)
  for (const type of ["API_KEY", "USER", "SYSTEM"]) {
    assert.isTrue(isActor({ type, id: "sweep" }), type)
    assert.isFalse(isActor({ type, id: "" }), type)
  }
  for (const type of ["", "system", "WEBHOOK"]) assert.isFalse(isActor({ type, id: "sweep" }), type)
})

it("the id of a request is text of 1 to 255 characters", () => {
  const isId = Schema.is(RequestId)
  assert.deepStrictEqual(
    [0, 1, 2, 254, 255, 256].map((length) => isId("é".repeat(length))),
    [false, true, true, true, true, false]
  )
  assert.isFalse(isId("a\u0000b"))
})
