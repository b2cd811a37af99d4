import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result, Struct } from "effect"
import fc from "fast-check"
import * as Disclosure from "../../../src/domain/compliance/Disclosure.ts"
import type { Duty } from "../../../src/domain/compliance/Duty.ts"
import { decide } from "../../../src/domain/kernel/Machine.ts"
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

  it("shows open duties first, by when they are due, and then those that are over, the latest first", () => {
    const duty = fc.record({ due: fc.option(fc.nat(2)), isOpen: fc.boolean() })
    const [given = assert.fail()] = fc.sample(states, { numRuns: 1, seed: 1 })
    const at = (millis: number) => DateTime.makeUnsafe(millis)
    forEvery(fc.array(duty, { maxLength: 5 }), (all) => {
      const duties = all.map(({ due, isOpen }, index): Duty => {
        const ended = isOpen ? null : at(9)
        const plain = {
          kind: "RETURN",
          donation_id: null,
          end: null,
          lodged_on: null,
          reference: null,
          note: null
        } as const
        return {
          ...plain,
          number: (index * 3) % 7,
          due_at: due === null ? null : at(due),
          opened_at: at(0),
          closed_at: ended
        }
      })
      const places = Disclosure.recordOf({ ...given, duties }).duties.map(({ closed_at, due_at, number }) =>
        closed_at === null ? [0, due_at?.epochMilliseconds ?? 9, number] : [1, 0, 9 - number]
      )
      assert.lengthOf(places, all.length)
      assert.deepStrictEqual(
        places.map((place) => place.join()),
        places.map((place) => place.join()).toSorted()
      )
    })
  })

  it("takes the status that its duties ask for, and changes where something is shown otherwise, once", () =>
    forEvery(states, states, (before, other) => {
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
