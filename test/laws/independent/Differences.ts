import { DateTime, Result } from "effect"
import { decide } from "../../../src/domain/kernel/Machine.ts"
import { type AnyCommand, type AnyMachine, type Fields, type Mutant, millisOf, type Samples } from "./AnyMachine.ts"

/** How many records of each status a command is tried on where it may start, where it may not, and at its edges. */
const [tried, triedElsewhere, triedAtEdges] = [400, 20, 150]

/** How many commands a record is tried with. */
const commandsOfEach = 3

/** Whether two values are the same all through; most of a record is the very object that it was. */
const isSame = (one: unknown, other: unknown): boolean => {
  if (one === other || Object.is(one, other)) return true
  if (DateTime.isDateTime(one)) return DateTime.isDateTime(other) && millisOf(one) === millisOf(other)
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false
  const entries = Object.entries(one)
  if (Array.isArray(one) !== Array.isArray(other) || entries.length !== Object.keys(other).length) return false
  return entries.every(([field, value]) => field in other && isSame(value, Reflect.get(other, field)))
}

/** What comes of a legal command, which is not checked again: the record and the events, or the reason of the refusal. */
const outcomeOf = (machine: AnyMachine, state: Fields, command: AnyCommand): unknown => {
  try {
    const decided = decide({ ...machine, check: () => null }, state, command)
    if (Result.isSuccess(decided)) return [decided.success.state, decided.success.events]
    const { failure } = decided
    return [failure._tag, failure._tag === "GuardRefused" ? failure.rule : ""]
  } catch {
    return ["threw"]
  }
}

/** The command with its instants and numbers at, before and after those of the record. */
const atEdges = (state: Fields, command: AnyCommand): ReadonlyArray<AnyCommand> =>
  Object.entries(command).flatMap(([field, own]) =>
    Object.values(state).flatMap((value) =>
      [0, 1, -1].flatMap((by): ReadonlyArray<AnyCommand> => {
        if (DateTime.isDateTime(own) && DateTime.isDateTime(value)) {
          return [{ ...command, [field]: DateTime.makeUnsafe(millisOf(value) + by) }]
        }
        return typeof own === "number" && typeof value === "number" ? [{ ...command, [field]: value + by }] : []
      })
    )
  )

interface Case {
  readonly state: Fields
  readonly command: AnyCommand
  readonly outcome: unknown
}

/**
 * A search for a decision in which a mutant differs from its machine, without any law: one that differs in none is not asked
 * about.
 */
export class Differences {
  private readonly samples: Samples
  private readonly cases = new Map<string, ReadonlyArray<Case>>()

  constructor(samples: Samples) {
    this.samples = samples
  }

  shows({ machine, shownBy, tag = "" }: Mutant): boolean {
    if (shownBy === "nothing") return true
    if (shownBy === "birth") return this.showsAtBirth(machine)
    return this.casesOf(tag).some(({ command, outcome, state }) => !isSame(outcome, outcomeOf(machine, state, command)))
  }

  private showsAtBirth({ events }: AnyMachine): boolean {
    const { machine, states } = this.samples
    return states.some((state) =>
      machine.births
        .filter(({ to }) => to === machine.statusOf(state))
        .flatMap(({ emits }) => emits)
        .some((type) => !isSame(machine.events[type]?.of(state, null), events[type]?.of(state, null)))
    )
  }

  /** Cases of a command, or of any where none is named. */
  private casesOf(tag: string): ReadonlyArray<Case> {
    const known = this.cases.get(tag) ?? this.makeCases(tag)
    this.cases.set(tag, known)
    return known
  }

  private makeCases(tag: string): ReadonlyArray<Case> {
    const { commands, machine, rows, states } = this.samples
    const given = tag === "" ? commands : this.samples.commandsOf(tag)
    const from = rows.find(([each]) => each === tag)?.[1].from ?? machine.statuses
    const counts = new Map<string, number>()
    return states.flatMap((state, at) => {
      const status = machine.statusOf(state)
      const starts = from.includes(status)
      const count = counts.get(status) ?? 0
      if (count >= (starts ? tried : triedElsewhere)) return []
      counts.set(status, count + 1)
      const own = Array.from({ length: commandsOfEach }, (_, place) => given[(at * 13 + place * 101) % given.length])
      const [first] = own
      const edges = starts && count < triedAtEdges && first !== undefined ? atEdges(state, first) : []
      return [...own, ...edges].flatMap((command) =>
        command === undefined || machine.check(command) !== null
          ? []
          : [{ state, command, outcome: outcomeOf(machine, state, command) }]
      )
    })
  }
}
