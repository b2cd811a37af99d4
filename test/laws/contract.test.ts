import { assert, describe, it } from "@effect/vitest"
import { machines } from "../../src/printing/ReferenceMachines.ts"
import { eachMachine } from "../../src/testing/EachMachine.ts"
import * as Laws from "../../src/testing/Laws.ts"
import { rounds } from "../support/Rounds.ts"

const checks = eachMachine((machine, subject) => ({
  name: machine.name,
  check: () => Laws.check(machine, { ...subject, runs: 60 * rounds })
}))

/** The contract's rows are the subjects' own: births, and what each command starts in, leads to, emits and changes. */
describe("the tables do what the contract says, and obey the laws", () => {
  for (const { check, name } of checks) it(name, () => assert.isObject(check()))

  it("for every machine that is printed, in its order", () => {
    assert.deepStrictEqual(
      checks.map(({ name }) => name),
      machines.map(({ name }) => name)
    )
  })
})
