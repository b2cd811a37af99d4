import { assert, describe, it } from "@effect/vitest"
import { birth, typesOf } from "../../../src/domain/kernel/Machine.ts"
import { eachMachine } from "../../../src/testing/EachMachine.ts"
import { forEveryWith } from "../../support/Property.ts"

describe("a record is born", () => {
  eachMachine((machine, { states }) => {
    it(`${machine.name}: in its first status with its events, and in no other`, () => {
      const met = new Map<string, Set<boolean>>(machine.births.map(({ by }) => [by, new Set()]))
      forEveryWith({ numRuns: 300 }, states, (state) => {
        for (const each of machine.births) {
          const isFirst = machine.statusOf(state) === each.to
          met.get(each.by)?.add(isFirst)
          const asked: Array<string> = []
          const born = () =>
            birth(machine, each, (status) => {
              asked.push(status)
              return state
            })
          if (isFirst) {
            const decision = born()
            assert.deepStrictEqual([decision.state, typesOf(decision.events), asked], [state, each.emits, [each.to]])
          } else assert.throws(born, RangeError, `${machine.name} is born ${each.to}`)
        }
      })
      for (const [by, sides] of met) assert.strictEqual(sides.size, 2, by)
    })
  })
})
