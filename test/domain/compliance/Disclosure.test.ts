import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import * as Disclosure from "../../../src/domain/compliance/Disclosure.ts"
import { disclosures } from "../../../src/testing/subjects/Disclosures.ts"
import { forEvery } from "../../support/Property.ts"

const { states } = disclosures

describe("disclosure", () => {
  it("is overdue after its due date, due soon for a week before it, and neither once it ended", () => {
    const due_at = DateTime.makeUnsafe("2027-02-21T12:59:59.999Z")
    const cases = [
      [-8 * 86_400_000, "LATER"],
      [-7 * 86_400_000 - 1, "LATER"],
      [-7 * 86_400_000, "DUE_SOON"],
      [0, "DUE_SOON"],
      [1, "OVERDUE"]
    ] as const
    forEvery(states, fc.constantFrom(...cases), (any, [millis, urgency]) => {
      const isOpen = any.status === "PENDING" || any.status === "REVIEW"
      const now = DateTime.add(due_at, { milliseconds: millis })
      assert.strictEqual(Disclosure.urgencyOf({ ...any, due_at }, now), isOpen ? urgency : null)
      assert.isNull(Disclosure.urgencyOf({ ...any, due_at: null }, now))
    })
  })

  it("says the same in its record and its events, and nothing internal", () =>
    forEvery(states, (any) => {
      assert.deepStrictEqual(Disclosure.eventDataOf(any), Disclosure.recordOf(any))
      assert.sameMembers(Object.keys(Disclosure.recordOf(any)), Object.keys(Disclosure.DisclosureRecord.fields))
      assert.doesNotHaveAnyKeys(Disclosure.recordOf(any), ["organisation_id", "comparison"])
    }))
})
