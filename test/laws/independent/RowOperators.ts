import { DateTime, Struct } from "effect"
import {
  type Alteration,
  type AnyCommand,
  type AnyRow,
  type Fields,
  fieldsIn,
  kindsIn,
  millisOf,
  overlap,
  type Samples
} from "./AnyMachine.ts"
import { wrongValues } from "./WrongValues.ts"

type Guard = (self: Fields, command: AnyCommand) => boolean
type Changes = ReadonlyArray<Alteration<AnyRow>>

/** The mistakes in where a row starts. */
const startChanges = ({ machine: { statuses }, rows }: Samples, tag: string, row: AnyRow): Changes => {
  const { from } = row
  const told = (starts: ReadonlyArray<string>) => [...starts].sort().join()
  return [
    ...statuses.flatMap((status): Changes => {
      if (!from.includes(status)) return [["start added", status, { ...row, from: [...from, status] }]]
      const rest = from.filter((each) => each !== status)
      return rest.length === 0 ? [] : [["start dropped", status, { ...row, from: rest }]]
    }),
    ...rows
      .filter(([other, { from: starts }]) => other !== tag && told(starts) !== told(from))
      .map(([other, { from: starts }]) => ["starts of another row", other, { ...row, from: starts }] as const)
  ]
}

/** The mistakes in where a row leads. */
const landingChanges = ({ machine: { statuses } }: Samples, row: AnyRow): Changes => {
  const [only, ...more] = row.from
  const landing = (to: string) => (to === "same" && more.length === 0 ? only : to)
  return [...statuses, "same"]
    .filter((to) => landing(to) !== landing(row.to))
    .map((to) => ["another landing", to, { ...row, to }] as const)
}

/** The mistakes in a list of events. */
export const emissionChanges = (
  emits: ReadonlyArray<string>,
  types: ReadonlyArray<string>
): ReadonlyArray<Alteration<ReadonlyArray<string>>> => {
  const others = types.filter((type) => !emits.includes(type))
  return [
    ...emits.map((type, at) => ["event dropped", type, emits.toSpliced(at, 1)] as const),
    ...emits.map((type, at) => ["event twice", type, emits.toSpliced(at, 0, type)] as const),
    ...(emits.length > 1 ? [["events in reverse", emits.join(), emits.toReversed()] as const] : []),
    ...others.map((type) => ["event added", type, [...emits, type]] as const),
    ...emits.flatMap((type, at) =>
      others.map((other) => ["event of another type", `${type} ← ${other}`, emits.with(at, other)] as const)
    )
  ]
}

const eventChanges = ({ machine: { events }, rows }: Samples, row: AnyRow): Changes => [
  ...emissionChanges(row.emits, Object.keys(events)).map(
    ([operator, place, emits]) => [operator, place, { ...row, emits }] as const
  ),
  ...rows
    .filter(([, { emits }]) => emits.join() !== row.emits.join() && Math.max(emits.length, row.emits.length) > 1)
    .map(([other, { emits }]) => ["events of another row", other, { ...row, emits }] as const)
]

/** The mistakes in a condition as a whole, and in its parts. */
const wholeConditionChanges = ({ rows }: Samples, tag: string, row: AnyRow, guard: Guard): Changes => {
  const { conditions = [] } = row
  const all = (parts: typeof conditions) => ({
    guard: ((self, command) => parts.every(([, holds]) => holds(self, command))) satisfies Guard,
    refusal: (self: Fields, command: AnyCommand) =>
      parts.find(([, holds]) => !holds(self, command))?.[0] ?? row.when ?? row.rule
  })
  const another = rows.flatMap(([other, { when }]) => (other === tag || when === undefined ? [] : [when]))
  const elsewhere = another.find((when) => row.when?.includes(when) !== true) ?? "no reason"
  const ofParts = conditions.flatMap(
    ([words, holds], at): Changes => [
      ["one condition dropped", words, { ...row, ...all(conditions.toSpliced(at, 1)) }],
      [
        "one condition negated",
        words,
        { ...row, ...all(conditions.with(at, [words, (self, command) => !holds(self, command)])) }
      ],
      ["always one reason", words, { ...row, refusal: () => words }]
    ]
  )
  const any: Guard = (self, command) => conditions.some(([, holds]) => holds(self, command))
  return [
    ["condition negated", "", { ...row, guard: (self, command) => !guard(self, command) }],
    ["condition dropped", "", Struct.omit(row, ["guard", "refusal"])],
    ["condition never met", "", { ...row, guard: () => false }],
    ["reason of another row", "", { ...row, refusal: () => elsewhere }],
    ...(conditions.length > 1 ? [...ofParts, ["any condition for all", "", { ...row, guard: any }] as const] : [])
  ]
}

/** The fields of a record that a question reads. */
const fieldsRead = <A extends Fields>(record: A, ask: (record: A) => unknown): ReadonlyArray<string> => {
  const read = new Set<string>()
  const watched = new Proxy(record, {
    get: (target, field) => {
      read.add(String(field))
      return Reflect.get(target, field)
    },
    ownKeys: (target) => {
      for (const field of Reflect.ownKeys(target)) read.add(String(field))
      return Reflect.ownKeys(target)
    }
  })
  try {
    ask(watched)
  } catch {
    // What it read until then counts.
  }
  return [...read]
}

type Pairs = ReadonlyArray<readonly [state: Fields, command: AnyCommand]>

/** Records from which a row may start, each with two of its commands. */
export const pairsOf = (samples: Samples, tag: string, row: AnyRow): Pairs => {
  const given = samples.commandsOf(tag)
  return samples.states
    .filter((state) => row.from.includes(samples.machine.statusOf(state)))
    .flatMap((state, at) =>
      [given[at % given.length], given[(at * 7 + 3) % given.length]].flatMap((command) =>
        command === undefined ? [] : [[state, command] as const]
      )
    )
}

/** The mistakes in what a condition reads of the record. */
const readStateChanges = (samples: Samples, row: AnyRow, guard: Guard, pairs: Pairs): Changes => {
  const { fields, statusFields } = samples
  const read = new Set(pairs.flatMap(([state, command]) => fieldsRead(state, (each) => guard(each, command))))
  return fields
    .filter((field) => read.has(field))
    .flatMap((field): Changes => {
      const reading = (value: (self: Fields) => unknown): AnyRow => ({
        ...row,
        guard: (self, command) => guard({ ...self, [field]: value(self) }, command)
      })
      return [
        ...wrongValues(samples.valuesOf(field), field).map(
          ([words, change]) => [`condition reads ${words}`, field, reading((self) => change(self[field]))] as const
        ),
        ...samples
          .alike(field, samples.kindsOf(field))
          .filter((other) => !statusFields.includes(other))
          .map(
            (other) => ["condition reads another field", `${field} ← ${other}`, reading((self) => self[other])] as const
          )
      ]
    })
}

/** The mistakes in what a condition reads of the command. */
const readCommandChanges = (samples: Samples, tag: string, row: AnyRow, guard: Guard, pairs: Pairs): Changes => {
  const given = samples.commandsOf(tag)
  const read = new Set(pairs.flatMap(([state, command]) => fieldsRead(command, (each) => guard(state, each))))
  const own = fieldsIn(given).filter((field) => field !== "_tag")
  const seen = (field: string) => given.map((command) => command[field])
  return own
    .filter((field) => read.has(field))
    .flatMap((field): Changes => {
      const reading = (value: (self: Fields, command: AnyCommand) => unknown): AnyRow => ({
        ...row,
        guard: (self, command) => guard(self, { ...command, [field]: value(self, command) })
      })
      const kinds = kindsIn(seen(field))
      return [
        ...wrongValues(seen(field), field).map(
          ([words, change]) =>
            [
              `condition reads ${words}`,
              `the command's ${field}`,
              reading((_, command) => change(command[field]))
            ] as const
        ),
        ...samples.fields
          .filter((other) => overlap(kinds, samples.kindsOf(other)))
          .map(
            (other) =>
              [
                "condition reads another field",
                `the command's ${field} ← ${other}`,
                reading((self, command) => self[other] ?? command[field])
              ] as const
          ),
        ...own
          .filter((other) => other !== field && overlap(kinds, kindsIn(seen(other))))
          .map(
            (other) =>
              [
                "condition reads another field",
                `the command's ${field} ← the command's ${other}`,
                reading((_, command) => command[other])
              ] as const
          )
      ]
    })
}

/** Conditions where a row has none. */
const conditionsAdded = (samples: Samples, row: AnyRow): Changes => {
  const { fields } = samples
  const isEven: Guard = (_, { at }) => DateTime.isDateTime(at) && millisOf(at) % 2 === 0
  const hasValues = (field: string) => samples.kindsOf(field).size > 0
  return [
    ["condition added", "at an even millisecond", { ...row, guard: isEven, when: row.rule }],
    ...fields
      .filter((field) => samples.kindsOf(field).has("boolean"))
      .map((field) => ["condition added", field, { ...row, guard: (self: Fields) => self[field] === true }] as const),
    ...fields
      .filter((field) => hasValues(field) && samples.valuesOf(field).includes(null))
      .map(
        (field) =>
          ["condition added", `${field} is null`, { ...row, guard: (self: Fields) => self[field] === null }] as const
      )
  ]
}

/** The mistakes that a row can have but for what it writes. */
export const rowChanges = (samples: Samples, tag: string, row: AnyRow): Changes => {
  const where = [...startChanges(samples, tag, row), ...landingChanges(samples, row), ...eventChanges(samples, row)]
  if (row.guard === undefined) return [...where, ...conditionsAdded(samples, row)]
  const guard: Guard = (self, command) => row.guard?.(self, command) ?? true
  const pairs = pairsOf(samples, tag, row)
  return [
    ...where,
    ...wholeConditionChanges(samples, tag, row, guard),
    ...readStateChanges(samples, row, guard, pairs),
    ...readCommandChanges(samples, tag, row, guard, pairs)
  ]
}
