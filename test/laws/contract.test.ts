import { assert, describe, it } from "@effect/vitest"
import { machines, type PrintedMachine } from "../../src/printing/ReferenceMachines.ts"
import { eachMachine } from "../../src/testing/EachMachine.ts"
import type { Expectation } from "../../src/testing/Laws.ts"

const emitted = (emits: ReadonlyArray<string> = []): string => (emits.length === 0 ? "" : ` [${emits.join(", ")}]`)

/** Births and rows as a table has them. */
const linesOf = ({ births, table }: PrintedMachine): ReadonlyArray<string> => [
  ...births.map(({ emits, to }) => `* → ${to}${emitted(emits)}`),
  ...Object.entries(table).map(
    ([tag, { emits, from, to, when }]) =>
      `${tag}: ${from.join(", ")} → ${to}${emitted(emits)}${when === undefined ? "" : " ?"}`
  )
]

type Said = Pick<Expectation<unknown, never>, "from" | "to" | "events" | "when"> | undefined

/** The same as the contract has them, of which the subject is made. */
const contracts = eachMachine(({ name }, { births = [], expect = {} }) => ({
  name,
  lines: [
    ...births.map(({ events, to }) => `* → ${to}${emitted(events)}`),
    ...Object.entries<Said>(expect).map(
      ([tag, row]) =>
        `${tag}: ${row?.from.join(", ")} → ${row?.to}${emitted(row?.events)}${row?.when === undefined ? "" : " ?"}`
    )
  ]
}))

describe("the tables say what the contract says", () => {
  it.each(contracts)("$name", ({ lines, name }) => {
    const machine = machines.find((each) => each.name === name) ?? assert.fail(`there is no machine ${name}`)
    assert.deepStrictEqual(linesOf(machine), lines)
  })

  it("for every machine that is printed, in its order", () => {
    const names = contracts.map(({ name }) => name)
    assert.deepStrictEqual(
      names,
      machines.map(({ name }) => name)
    )
  })
})
