import type { Alteration, AnyMachine, Fields, Mutant, Samples } from "./AnyMachine.ts"
import { type AnyCommand, fieldsIn, kindsIn, overlap } from "./AnyMachine.ts"
import { emissionChanges } from "./RowOperators.ts"
import { valueMistakes, wrongValues } from "./WrongValues.ts"

type Teller = AnyMachine["events"][string]
type Change = (told: Fields, state: Fields, command: AnyCommand | null) => Fields
type Changes = ReadonlyArray<Alteration<Change>>

/** Mistakes that are made at one of an event's places alone. */
const atOnePlace = new Set([
  "instant + 1 ms",
  "number + 1",
  "day + 1",
  "null for a value",
  "another of its values",
  "flag negated",
  "empty text"
])

/** How many records are asked what an event tells of them. */
const examples = 300

/** How many commands they are asked with. */
const commandsAsked = 20

const examplesOf = (samples: Samples, { of }: Teller, tag: string | undefined): ReadonlyArray<Fields> => {
  const given = tag === undefined ? [] : samples.commandsOf(tag)
  return samples.states.slice(0, examples).flatMap((state, at): ReadonlyArray<Fields> => {
    try {
      return [{ ...Object(of(state, given[at % commandsAsked] ?? null)) }]
    } catch {
      return []
    }
  })
}

/** The mistakes in what an event tells, wherever it is told. */
const tellingChanges = (samples: Samples, told: ReadonlyArray<Fields>): Changes => {
  const fields = fieldsIn(told)
  const seen = (field: string) => told.map((each) => each[field])
  return [
    ...fields.flatMap((field): Changes => {
      const kinds = kindsIn(seen(field))
      const put =
        (value: (...given: Parameters<Change>) => unknown): Change =>
        (each, state, command) => ({ ...each, [field]: value(each, state, command) })
      const crosswise = fields.filter((other) => other > field && overlap(kinds, kindsIn(seen(other))))
      return [
        ["tells no field", field, ({ [field]: _, ...rest }) => rest],
        ...wrongValues(seen(field), field).map(
          ([words, change]) => [`tells ${words}`, field, put((each) => change(each[field]))] as const
        ),
        ...samples
          .alike(field, kinds)
          .map((other) => ["tells another field", `${field} ← ${other}`, put((_, state) => state[other])] as const),
        ...crosswise.map(
          (other) =>
            [
              "tells two fields crosswise",
              `${field}, ${other}`,
              (each: Fields) => ({ ...each, [field]: each[other], [other]: each[field] })
            ] as const
        )
      ]
    }),
    ...samples.fields
      .filter((field) => !fields.includes(field))
      .map((field) => ["tells a field that is its own", field, tellingOf(field)] as const),
    ["tells nothing", "", () => ({})]
  ]
}

const tellingOf =
  (field: string): Change =>
  (told, state) => ({ ...told, [field]: state[field] })

/** The machine with an event told otherwise: everywhere, after one command (`at`), or at a birth (`null`). */
const teller = (machine: AnyMachine, type: string, told: Teller, change: Change, at?: string | null): AnyMachine => {
  const of = (state: Fields, command: AnyCommand | null) => {
    const data = told.of(state, command)
    const isHere = at === undefined || (command?._tag ?? null) === at
    return isHere ? change({ ...Object(data) }, state, command) : data
  }
  return { ...machine, events: { ...machine.events, [type]: { ...told, of } } }
}

/** A machine that tells of a record as it was before the command. */
const lateTeller = (samples: Samples, type: string, told: Teller, tag: string): AnyMachine => {
  const { machine, rows } = samples
  let before: Fields = {}
  const watched = rows.map(([each, row]) => {
    const patch = (self: Fields, command: AnyCommand) => {
      before = self
      return row.patch?.(self, command) ?? {}
    }
    return [each, { ...row, patch }] as const
  })
  const of = (state: Fields, command: AnyCommand | null) =>
    told.of(command?._tag === tag ? { ...before } : state, command)
  return {
    ...machine,
    table: Object.fromEntries(watched),
    events: { ...machine.events, [type]: { ...told, of } }
  }
}

const mutantsOfEvent = (samples: Samples, type: string, told: Teller): ReadonlyArray<Mutant> => {
  const { machine, rows } = samples
  const emitting = rows.flatMap(([tag, { emits }]) => (emits.includes(type) ? [tag] : []))
  const isBorn = machine.births.some(({ emits }) => emits.includes(type))
  const [tag] = emitting
  const shownBy = tag === undefined ? "birth" : "decision"
  const own = tag === undefined ? {} : { tag }
  const seen = examplesOf(samples, told, tag)
  const places: ReadonlyArray<string | null> = [...emitting, ...(isBorn ? [null] : [])]
  const here = places.length < 2 ? [] : fieldsIn(seen)
  return [
    ...tellingChanges(samples, seen).map(
      ([operator, place, change]): Mutant => ({
        operator,
        place: `${type} ${place}`.trimEnd(),
        machine: teller(machine, type, told, change),
        shownBy,
        ...own
      })
    ),
    ...here.flatMap((field) =>
      valueMistakes(
        seen.map((each) => each[field]),
        field
      )
        .filter(([words]) => atOnePlace.has(words))
        .flatMap(([words, change]) =>
          places.map((at): Mutant => {
            const put: Change = (each) => ({ ...each, [field]: change(each[field]) })
            return {
              operator: `tells ${words} at one place`,
              place: `${type} ${field} ${at === null ? "at birth" : `of ${at}`}`,
              machine: teller(machine, type, told, put, at),
              shownBy: at === null ? "birth" : "decision",
              ...(at === null ? {} : { tag: at })
            }
          })
        )
    ),
    ...emitting.map(
      (each): Mutant => ({
        operator: "tells of the record before",
        place: `${type} of ${each}`,
        machine: lateTeller(samples, type, told, each),
        shownBy: "decision",
        tag: each
      })
    )
  ]
}

/** Mistakes in what events tell. */
export const eventMutants = (samples: Samples): ReadonlyArray<Mutant> =>
  Object.entries<Teller>(samples.machine.events).flatMap(([type, told]) => mutantsOfEvent(samples, type, told))

/** Mistakes in how records are born. */
export const birthMutants = ({ machine }: Samples): ReadonlyArray<Mutant> => {
  const { births, events, statuses } = machine
  const born = (operator: string, place: string, other: typeof births): Mutant => ({
    operator,
    place,
    machine: { ...machine, births: other },
    shownBy: "nothing"
  })
  return [
    ...births.flatMap((birth, at) => [
      ...statuses
        .filter((to) => to !== birth.to)
        .map((to) => born("born in another status", `${birth.by} ${to}`, births.with(at, { ...birth, to }))),
      ...emissionChanges(birth.emits, Object.keys(events)).map(([operator, place, emits]) =>
        born(`born with ${operator}`, `${birth.by} ${place}`, births.with(at, { ...birth, emits }))
      ),
      ...(births.length > 1 ? [born("birth dropped", birth.by, births.toSpliced(at, 1))] : [])
    ]),
    ...statuses.map((to) => born("birth added", to, [...births, { by: "nobody", to, emits: [], rule: "none" }]))
  ]
}
