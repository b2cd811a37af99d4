import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import * as DonationForm from "../../../src/domain/giving/DonationForm.ts"
import { decide, type Machine, type Row } from "../../../src/domain/kernel/Machine.ts"
import { eachMachine } from "../../../src/testing/EachMachine.ts"
import type { Subject } from "../../../src/testing/Laws.ts"
import * as Subjects from "../../../src/testing/Subjects.ts"
import { instant } from "../../../src/testing/subjects/Month.ts"
import { forEvery } from "../../support/Property.ts"
import { broken } from "../../support/Sentences.ts"

interface Checked {
  readonly name: string
  readonly statuses: ReadonlyArray<string>
  readonly rows: ReadonlyArray<
    readonly [command: string, row: Pick<Row<never, string, never, string>, "from" | "when" | "guard" | "refusal">]
  >
  readonly wording: {
    readonly can: Readonly<Record<string, string>>
    readonly instead: Readonly<Record<string, string>>
    readonly unless: Readonly<Record<string, string>>
  }
  /** Refusals of the machine for what its subject generates, by which row and status or rule refused. */
  readonly refusals: () => ReadonlyMap<string, string>
}

const given = (texts: object): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => typeof text === "string"))

const sampleOf = <A>(values: fc.Arbitrary<A>): ReadonlyArray<A> => fc.sample(values, { numRuns: 200, seed: 37 })

const check = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  subject: Subject<State, Command>
): Checked => ({
  name: machine.name,
  statuses: machine.statuses,
  rows: Object.entries(machine.table),
  wording: {
    can: given(machine.wording.can),
    instead: given(machine.wording.instead),
    unless: given(machine.wording.unless)
  },
  refusals: () => {
    const found = new Map<string, string>()
    const [states, commands] = [sampleOf(subject.states), sampleOf(subject.commands)]
    for (const [index, state] of states.entries()) {
      for (const command of commands.filter((_, place) => (place + index) % 10 === 0)) {
        const decision = decide(machine, state, command)
        if (Result.isSuccess(decision)) continue
        const { failure } = decision
        if (failure._tag === "InvalidCommand") return assert.fail(failure.message)
        const why = failure._tag === "GuardRefused" ? failure.rule : failure.status
        found.set(`${failure.command}: ${why}`, failure.message)
      }
    }
    return found
  }
})

const checked: ReadonlyArray<Checked> = eachMachine(check)

/** The conditions that a row can be refused for, in its words. */
const conditionsOf = ({ refusal, when }: Checked["rows"][number][1]): ReadonlyArray<string> =>
  when === undefined ? [] : refusal === undefined ? [when] : when.split("; ")

/** The statuses in which a row refuses its command. */
const refusing = ({ statuses }: Checked, { from }: Checked["rows"][number][1]): ReadonlyArray<string> =>
  statuses.filter((status) => !from.includes(status))

describe("refused commands are told in sentences for people", () => {
  describe.each(checked)("$name", (machine) => {
    const { rows, wording } = machine

    it("for every row and status that refuses", () => {
      const wanted = new Set(rows.flatMap(([, row]) => refusing(machine, row)))
      assert.sameMembers(Object.keys(wording.instead), [...wanted])
      assert.sameMembers(
        Object.keys(wording.can),
        rows.map(([command]) => command)
      )
      for (const text of Object.values(wording.instead)) assert.isNull(broken(text), text)
      for (const text of Object.values(wording.can)) assert.match(text, /^[a-z][a-z ]*$/)
    })

    it("for every condition of a guard, and for none that there is not", () => {
      assert.isTrue(rows.every(([, row]) => (row.guard === undefined) === (row.when === undefined)))
      assert.sameMembers(Object.keys(wording.unless), [...new Set(rows.flatMap(([, row]) => conditionsOf(row)))])
      for (const text of Object.values(wording.unless)) assert.isNull(broken(text), text)
    })

    it("as the machine decides", () => {
      const refusals = machine.refusals()
      for (const [why, message] of refusals) assert.isNull(broken(message), `${why}: ${message}`)
      const byStatus = rows.flatMap(([command, row]) => refusing(machine, row).map((status) => `${command}: ${status}`))
      assert.includeMembers([...refusals.keys()], byStatus)
    })
  })

  it("for every move of a form that a PATCH may ask for", () =>
    forEvery(
      Subjects.donationForms.states,
      fc.constantFrom(...DonationForm.machine.statuses),
      instant,
      (form, wanted, at) => {
        const moved = DonationForm.moveTo(form, wanted, at)
        if (Result.isFailure(moved)) assert.isNull(broken(moved.failure.message), moved.failure.message)
      }
    ))
})
