import { Result } from "effect"
import { decide, type Machine, rowOf, typesOf } from "../../domain/kernel/Machine.ts"
import { assert } from "./Assert.ts"

type AnyCommand = { readonly _tag: string }

/** A machine and a command of it. */
interface Asked<State, Status extends string, Command extends AnyCommand, Event extends string> {
  readonly machine: Machine<State, Status, Command, Event>
  readonly command: Command
}

/** A command of a machine, for records in any state. */
export interface Row<State> {
  readonly isTaken: (state: State) => boolean
  readonly after: (state: State) => State
  readonly meet: (states: ReadonlyArray<State>) => void
}

interface Decided<State, Event extends string> {
  readonly state: State
  readonly events: ReadonlyArray<Event>
}

const decision = <State, Status extends string, Command extends AnyCommand, Event extends string>(
  { command, machine }: Asked<State, Status, Command, Event>,
  state: State
): Decided<State, Event> =>
  Result.match(decide(machine, state, command), {
    onFailure: () => ({ state, events: [] }),
    onSuccess: ({ events, state }) => ({ state, events: typesOf(events) })
  })

/** Whether the machine takes the command for a record in this state. */
export const isTaken = <State, Status extends string, Command extends AnyCommand, Event extends string>(
  { command, machine }: Asked<State, Status, Command, Event>,
  state: State
): boolean => Result.isSuccess(decide(machine, state, command))

/** A record after the command: as the machine decides, and as it was where the machine refuses. */
export const after = <State, Status extends string, Command extends AnyCommand, Event extends string>(
  asked: Asked<State, Status, Command, Event>,
  state: State
): State => decision(asked, state).state

/** The events of records of which the command is taken. */
export const eventsOf = <State, Status extends string, Command extends AnyCommand, Event extends string>(
  asked: Asked<State, Status, Command, Event>,
  states: ReadonlyArray<State>
): ReadonlyArray<Event> => states.flatMap((state) => decision(asked, state).events)

/**
 * Holds the records of a check against the row that it is about, so that a row that changes asks for others: there are some
 * of every status, the command is taken of some in each status that the row starts in, and the guard refuses some.
 */
export const meetRow = <State, Status extends string, Command extends AnyCommand, Event extends string>(
  asked: Asked<State, Status, Command, Event>,
  states: ReadonlyArray<State>
): void => {
  const { command, machine } = asked
  const row = rowOf(machine, command)
  for (const status of machine.statuses) {
    const found = states.filter((state) => machine.statusOf(state) === status)
    assert.isNotEmpty(found, `${machine.name}: records that are ${status}`)
    if (!row.from.includes(status)) continue
    assert.isTrue(
      found.some((state) => isTaken(asked, state)),
      `${machine.name}: ${command._tag} is taken from ${status}`
    )
  }
  if (row.guard === undefined) return
  const starting = states.filter((state) => row.from.includes(machine.statusOf(state)))
  assert.isFalse(
    starting.every((state) => isTaken(asked, state)),
    `${machine.name}: the guard of ${command._tag} never refuses`
  )
}

export const rowFor = <State, Status extends string, Command extends AnyCommand, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  command: Command
): Row<State> => ({
  isTaken: (state) => isTaken({ machine, command }, state),
  after: (state) => after({ machine, command }, state),
  meet: (states) => meetRow({ machine, command }, states)
})
