import { assert, describe, it } from "@effect/vitest"
import * as Disclosure from "../../../src/domain/compliance/Disclosure.ts"
import { disclosures } from "../../../src/testing/subjects/Disclosures.ts"
import { forEvery } from "../../support/Property.ts"

const { states } = disclosures

describe("disclosure", () => {
  it("says the same in its record and its events, and nothing internal", () =>
    forEvery(states, (any) => {
      assert.deepStrictEqual(Disclosure.eventDataOf(any), Disclosure.recordOf(any))
      assert.sameMembers(Object.keys(Disclosure.recordOf(any)), Object.keys(Disclosure.DisclosureRecord.fields))
      assert.doesNotHaveAnyKeys(Disclosure.recordOf(any), ["organisation_id", "comparison"])
    }))
})
