import { assert, describe, it } from "@effect/vitest"
import { birth, typesOf } from "../../../src/domain/kernel/Machine.ts"
import { eachMachine } from "../../../src/testing/EachMachine.ts"
import { forEvery } from "../../support/Property.ts"

describe("a record is born", () => {
  eachMachine((machine, { states }) => {
    it.each(machine.births)(`${machine.name}, $by: in its first status, with its events`, (each) => {
      const inStatus = states.filter((state) => machine.statusOf(state) === each.to)
      forEvery(inStatus, (state) => {
        const asked: Array<string> = []
        const decision = birth(machine, each, (status) => {
          asked.push(status)
          return state
        })
        assert.deepStrictEqual([decision.state, typesOf(decision.events), asked], [state, each.emits, [each.to]])
      })
    })

    it.each(machine.births)(`${machine.name}, $by: in no other status`, (each) => {
      const elsewhere = states.filter((state) => machine.statusOf(state) !== each.to)
      forEvery(elsewhere, (state) => {
        assert.throws(() => birth(machine, each, () => state), RangeError, `${machine.name} is born ${each.to}`)
      })
    })
  })
})
