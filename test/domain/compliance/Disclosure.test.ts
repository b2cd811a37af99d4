import { assert, describe, it } from "@effect/vitest"
import { Result, Struct } from "effect"
import * as Disclosure from "../../../src/domain/compliance/Disclosure.ts"
import { decide } from "../../../src/domain/kernel/Machine.ts"
import { disclosures } from "../../../src/testing/subjects/Disclosures.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const { states } = disclosures

describe("disclosure", () => {
  it("says the same in its record and its events, and nothing internal", () =>
    forEvery(states, (any) => {
      assert.deepStrictEqual(Disclosure.eventDataOf(any), Disclosure.recordOf(any))
      assert.sameMembers(Object.keys(Disclosure.recordOf(any)), Object.keys(Disclosure.DisclosureRecord.fields))
      assert.doesNotHaveAnyKeys(Disclosure.recordOf(any), ["organisation_id", "comparison"])
    }))

  it("takes the status that its duties ask for, and changes where something is shown otherwise, once", () =>
    forEveryWith({ numRuns: 300 }, states, states, (before, other) => {
      const fields = Struct.keys(Disclosure.Command.cases.Recount.fields).filter((key) => key in before)
      const unseen = Struct.pick(other, ["comparison", "lodged_gifts", "regime"])
      for (const next of [before, { ...before, ...unseen }, other]) {
        const assessment = Struct.pick(next, fields as ReadonlyArray<keyof Disclosure.Assessment>)
        const _tag = Disclosure.commandFor(before, assessment)
        const isOpen = next.duties.some(({ closed_at }) => closed_at === null)
        const isPending = ["PENDING", "REVIEW"].includes(before.status)
        if (before.status === "SUPERSEDED" || (next !== other && isOpen === isPending)) {
          assert.isNull(_tag)
          continue
        }
        if (_tag === null) return assert.fail()
        const command = { _tag, at: other.updated_at, ...assessment }
        const { state } = Result.getOrThrow(decide(Disclosure.machine, before, command))
        assert.strictEqual(["PENDING", "REVIEW"].includes(state.status), isOpen)
        assert.isNull(Disclosure.commandFor(state, assessment))
      }
    }))
})
