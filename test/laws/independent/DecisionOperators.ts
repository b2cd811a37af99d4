import { DateTime, Result } from "effect"
import {
  decide,
  GuardRefused,
  IllegalTransition,
  InvalidCommand,
  type Refusal
} from "../../../src/domain/kernel/Machine.ts"
import type { AnyCommand, AnyDecide, Fields, Mutant, Samples } from "./AnyMachine.ts"
import { millisOf } from "./AnyMachine.ts"

type Decided = ReturnType<AnyDecide>
type Accepted = Result.Result.Success<Decided>
type Step = NonNullable<Accepted["transition"]>
type Reading = readonly [operator: string, decide: AnyDecide]

const another = "Another"

/** Readings of a table that are wrong about what is accepted. */
const acceptedReadings = ({ commands, machine, rows }: Samples): ReadonlyArray<Reading> => {
  const accepted =
    (change: (decision: Accepted, state: Fields, command: AnyCommand) => Partial<Accepted>): AnyDecide =>
    (state, command) =>
      Result.map(decide(machine, state, command), (decision) => ({ ...decision, ...change(decision, state, command) }))
  const saying = (change: (step: Step, state: Fields) => Partial<Step>): AnyDecide =>
    accepted(({ transition }, state) =>
      transition === undefined ? {} : { transition: { ...transition, ...change(transition, state) } }
    )
  const toldBefore = accepted(({ events }, state, command) => ({
    events: events.map(({ type }) => ({ type, data: machine.events[type]?.of(state, command) }))
  }))
  const ofEvents: ReadonlyArray<Reading> = [
    ["no events", accepted(() => ({ events: [] }))],
    ["events without data", accepted(({ events }) => ({ events: events.map(({ type }) => ({ type, data: {} })) }))],
    ["events of the record before", toldBefore]
  ]
  const otherRow = (row: string) => rows.find(([tag]) => tag !== row)?.[0] ?? another
  const otherCommand = (command: AnyCommand) =>
    commands.find((each) => each._tag === command._tag && each !== command) ?? command
  return [
    ["the record stays as it was", accepted((_, state) => ({ state }))],
    ...(Object.keys(machine.events).length === 0 ? [] : ofEvents),
    ["another status before", saying(({ to }) => ({ from: to }))],
    ["another status after", saying(({ from }) => ({ to: from }))],
    ["nothing has changed", saying(() => ({ changed: {} }))],
    ["all fields have changed", saying(({ changed }, state) => ({ changed: { ...state, ...changed } }))],
    ["no instant", saying(() => ({ at: null }))],
    ["a later instant", saying(({ at }) => ({ at: at === null ? null : DateTime.makeUnsafe(millisOf(at) + 1) }))],
    ["another machine", saying(() => ({ machine: another }))],
    ["another row", saying(({ row }) => ({ row: otherRow(row) }))],
    ["another command", saying(({ command }) => ({ command: otherCommand(command) }))]
  ]
}

/** Readings of a table that are wrong about what is refused. */
const refusedReadings = ({ commands, machine, rows }: Samples): ReadonlyArray<Reading> => {
  const refused =
    (change: (refusal: Refusal, state: Fields, command: AnyCommand) => Decided): AnyDecide =>
    (state, command) => {
      const decided = decide(machine, state, command)
      return Result.isFailure(decided) ? change(decided.failure, state, command) : decided
    }
  const illegal = (change: (refusal: IllegalTransition) => object): AnyDecide =>
    refused((refusal) =>
      Result.fail(
        refusal._tag === "IllegalTransition"
          ? new IllegalTransition({ ...refusal, message: refusal.message, ...change(refusal) })
          : refusal
      )
    )
  const guarded = (change: (refusal: GuardRefused) => object): AnyDecide =>
    refused((refusal) =>
      Result.fail(
        refusal._tag === "GuardRefused"
          ? new GuardRefused({ ...refusal, message: refusal.message, ...change(refusal) })
          : refusal
      )
    )
  const invalid = (change: object): AnyDecide =>
    refused((refusal) =>
      Result.fail(
        refusal._tag === "InvalidCommand"
          ? new InvalidCommand({ ...refusal, message: refusal.message, ...change })
          : refusal
      )
    )
  const otherTag = ({ command }: { readonly command: string }) => ({
    command: rows.find(([tag]) => tag !== command)?.[0] ?? another
  })
  const otherStatus = ({ status }: IllegalTransition) => ({
    status: machine.statuses.find((each) => each !== status) ?? another
  })
  const rowOf = (command: AnyCommand) => rows.find(([tag]) => tag === command?._tag)?.[1]
  const repeated = refused((refusal, state, command) => {
    const isThere = refusal._tag === "IllegalTransition" && rowOf(command)?.to === machine.statusOf(state)
    return isThere ? Result.succeed({ state, events: [] }) : Result.fail(refusal)
  })
  const statusFirst = refused((refusal, state, command) => {
    const row = rowOf(command)
    const legal = commands.find(({ _tag }) => _tag === command?._tag)
    const isEarly = refusal._tag === "InvalidCommand" && row?.from.includes(machine.statusOf(state)) === false
    return isEarly && legal !== undefined ? decide(machine, state, legal) : Result.fail(refusal)
  })
  const thrown = (isThrown: (refusal: Refusal) => boolean): AnyDecide =>
    refused((refusal) => {
      if (isThrown(refusal)) throw refusal
      return Result.fail(refusal)
    })
  const guardReadings: ReadonlyArray<Reading> = [
    ["a condition's refusal names another command", guarded(otherTag)],
    ["a condition's refusal names another machine", guarded(() => ({ machine: another }))],
    ["a condition's refusal has no sentence", guarded(() => ({ message: "" }))]
  ]
  return [
    ["a status's refusal names another command", illegal(otherTag)],
    ["a status's refusal names another status", illegal(otherStatus)],
    ["a status's refusal names another machine", illegal(() => ({ machine: another }))],
    ["a status's refusal has no sentence", illegal(() => ({ message: "" }))],
    ...(rows.some(([, { guard }]) => guard !== undefined) ? guardReadings : []),
    ["a check's refusal names another command", invalid({ command: another })],
    ["a check's refusal names another field", invalid({ param: "another" })],
    ["a check's refusal has no sentence", invalid({ message: "" })],
    ["a repetition is taken", repeated],
    ["the status is asked before the check", statusFirst],
    ["a refusal is thrown", thrown(() => true)],
    ["what is no command is thrown", thrown(({ _tag }) => _tag === "InvalidCommand")]
  ]
}

/** Readings of the table that have one mistake: what a `decide` of one's own may be wrong about. */
export const decisionMutants = (samples: Samples): ReadonlyArray<Mutant> =>
  [...acceptedReadings(samples), ...refusedReadings(samples)].map(([operator, deciding]) => ({
    operator: `decides: ${operator}`,
    place: "",
    machine: samples.machine,
    decide: deciding,
    shownBy: "nothing"
  }))
