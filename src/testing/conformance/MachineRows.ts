import { Result } from "effect"
import { decide, type Machine, rowOf, typesOf } from "../../domain/kernel/Machine.ts"
import { assert } from "./Assert.ts"

/** A command of a machine, for records in any state. */
export interface Row<State> {
  readonly isTaken: (state: State) => boolean
  /** A record after the command: as the machine decides, and as it was where the machine refuses. */
  readonly after: (state: State) => State
  /** The types of the events of records of which the command is taken. */
  readonly events: (states: ReadonlyArray<State>) => ReadonlyArray<string>
  /**
   * Holds the records of a check against the row that it is about, so that a row that changes asks for others: there are some
   * of every status, the command is taken of some in each status that the row starts in, and the guard refuses some.
   */
  readonly meet: (states: ReadonlyArray<State>) => void
}

export const rowFor = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  command: Command
): Row<State> => {
  const decided = (state: State) => decide(machine, state, command)
  const isTaken = (state: State) => Result.isSuccess(decided(state))
  return {
    isTaken,
    after: (state) => Result.match(decided(state), { onFailure: () => state, onSuccess: (made) => made.state }),
    events: (states) =>
      states.flatMap((state) =>
        Result.match(decided(state), { onFailure: () => [], onSuccess: ({ events }) => typesOf(events) })
      ),
    meet: (states) => {
      const row = rowOf(machine, command)
      for (const status of machine.statuses) {
        const found = states.filter((state) => machine.statusOf(state) === status)
        assert.isNotEmpty(found, `${machine.name}: records that are ${status}`)
        const isStart = row.from.includes(status)
        assert.isTrue(!isStart || found.some(isTaken), `${machine.name}: ${command._tag} is taken from ${status}`)
      }
      if (row.guard === undefined) return
      const starting = states.filter((state) => row.from.includes(machine.statusOf(state)))
      assert.isFalse(starting.every(isTaken), `${machine.name}: the guard of ${command._tag} never refuses`)
    }
  }
}
