import { DateTime, Predicate } from "effect"
import { type Birth, type Condition, destination, type EventOf, type Row } from "../domain/kernel/Machine.ts"
import { instantAt } from "./InTime.ts"

/** The kinds of mistakes, in the order in which a report has them. */
export const operators = [
  "from",
  "to",
  "events",
  "guard",
  "deadline",
  "bound",
  "patch",
  "value",
  "data",
  "birth"
] as const
/**
 * A kind of mistake: where a row starts; where it leads; its events (dropped, added, doubled, reordered); its guard
 * (dropped, negated, a condition left out, any condition for all); a guard's time, or one of the numbers that it compares,
 * moved; a field that a patch leaves out, or writes otherwise; a field of an event's data; how a record is born.
 */
export type Operator = (typeof operators)[number]

/** A mistake, and what has it. */
export type Mistake<A> = readonly [operator: Operator, change: string, mistaken: A]

/** The values that each field was seen to have. */
export type SeenValues = ReadonlyMap<string, ReadonlyArray<unknown>>

type ValueChange = readonly [words: string, change: (value: unknown) => unknown]

const shifted = (value: unknown, by: number): unknown => {
  if (Predicate.isNumber(value)) return value + by
  return DateTime.isDateTime(value) ? instantAt(DateTime.toEpochMillis(value) + by) : value
}

const otherText = (seen: ReadonlyArray<unknown>) => {
  const texts = [...new Set(seen.filter(Predicate.isString))]
  return (value: unknown): unknown => {
    if (!Predicate.isString(value)) return value
    return texts.find((each) => each !== value) ?? `${value}x`
  }
}

/** The wrong values that a field may get instead of those that were seen, each where some value is changed by it. */
const valueChanges = (seen: ReadonlyArray<unknown>): ReadonlyArray<ValueChange> => {
  const some = seen.find((value) => value !== null)
  const numeric = seen.some(Predicate.isNumber)
  const changes: ReadonlyArray<ValueChange | null> = [
    numeric || seen.some(DateTime.isDateTime) ? [numeric ? "+ 1" : "+ 1 ms", (value) => shifted(value, 1)] : null,
    numeric || seen.some(DateTime.isDateTime) ? [numeric ? "- 1" : "- 1 ms", (value) => shifted(value, -1)] : null,
    seen.some(Predicate.isString) ? ["as another text", otherText(seen)] : null,
    seen.some(Predicate.isBoolean) ? ["negated", (value) => (Predicate.isBoolean(value) ? !value : value)] : null,
    seen.some((value) => Array.isArray(value) && value.length > 0)
      ? ["emptied", (value) => (Array.isArray(value) ? [] : value)]
      : null,
    some === undefined ? null : ["as null", () => null],
    seen.includes(null) ? ["invented", (value) => (value === null ? (some ?? "invented") : value)] : null
  ]
  return changes.filter((change) => change !== null)
}

const withChange = (record: object, field: string, change: (value: unknown) => unknown): object =>
  Object.fromEntries(Object.entries(record).map(([each, value]) => [each, each === field ? change(value) : value]))

const without = (record: object, field: string): object =>
  Object.fromEntries(Object.entries(record).filter(([each]) => each !== field))

/** Lists of events with one mistake: one is left out, doubled or added, or they come in another order. */
const eventChanges = <Event extends string>(
  emits: ReadonlyArray<Event>,
  known: ReadonlyArray<Event>
): ReadonlyArray<readonly [change: string, emits: ReadonlyArray<Event>]> => {
  const added = known.find((type) => !emits.includes(type))
  return [
    ...emits.map((type, index) => [`emits without ${type}`, emits.toSpliced(index, 1)] as const),
    ...emits.map((type, index) => [`emits ${type} twice`, emits.toSpliced(index, 0, type)] as const),
    ...(added === undefined ? [] : [[`emits ${added}, too`, [...emits, added]] as const]),
    ...(emits.length < 2 ? [] : [["emits in reverse", emits.toReversed()] as const])
  ]
}

/** The types of events that some births and rows emit. */
export const typesIn = <Event extends string>(
  emitters: ReadonlyArray<{ readonly emits: ReadonlyArray<Event> }>
): ReadonlyArray<Event> => [...new Set(emitters.flatMap(({ emits }) => emits))]

type Guard<State, Command> = (self: State, command: Command) => boolean

const holding =
  <State, Command>(
    conditions: ReadonlyArray<Condition<State, Command>>,
    how: "every" | "some"
  ): Guard<State, Command> =>
  (self, command) =>
    conditions[how](([, holds]) => holds(self, command))

/** The spans by which a guard's time is moved, by their names. */
const moments: ReadonlyArray<readonly [words: string, millis: number]> = [
  ["1 ms early", 1],
  ["1 ms late", -1],
  ["10 minutes early", 600_000],
  ["10 minutes late", -600_000]
]

/** Spans by which a value is moved to see whether a guard looks at it. */
const probes = [1, 2, 1_000_000, 86_400_000, 40 * 86_400_000, 4_000 * 86_400_000].flatMap((each) => [each, -each])

type Pairs<State, Command> = ReadonlyArray<readonly [state: State, command: Command]>

const moved = <A>(record: A, field: string, by: number): A =>
  Object.assign(
    {},
    record,
    withChange(Object(record), field, (value) => shifted(value, by))
  )

/** The fields of a record that hold something that can be moved. */
const movable = (records: ReadonlyArray<unknown>, is: (value: unknown) => boolean): ReadonlyArray<string> => [
  ...new Set(
    records.flatMap((record) => Object.entries(Object(record)).flatMap(([field, value]) => (is(value) ? [field] : [])))
  )
]

const guardMoves = <State, Command>(
  guard: Guard<State, Command>,
  pairs: Pairs<State, Command>
): ReadonlyArray<Mistake<Guard<State, Command>>> => {
  const sees = (move: (by: number) => Guard<State, Command>) =>
    probes.some((by) => pairs.some(([state, command]) => guard(state, command) !== move(by)(state, command)))
  const ofCommand =
    (field: string) =>
    (by: number): Guard<State, Command> =>
    (self, command) =>
      guard(self, moved(command, field, by))
  const ofState =
    (field: string) =>
    (by: number): Guard<State, Command> =>
    (self, command) =>
      guard(moved(self, field, by), command)
  const [states, commands] = [pairs.map(([state]) => state), pairs.map(([, command]) => command)]
  const deadlines = movable(commands, DateTime.isDateTime).filter((field) => sees(ofCommand(field)))
  const bounds = [
    ...movable(commands, Predicate.isNumber).map((field) => [`the command's ${field}`, ofCommand(field)] as const),
    ...movable(states, Predicate.isNumber).map((field) => [field, ofState(field)] as const)
  ].filter(([, move]) => sees(move))
  return [
    ...deadlines.flatMap((field) =>
      moments.map(
        ([words, millis]) =>
          ["deadline", `guard ${words}${field === "at" ? "" : `: ${field}`}`, ofCommand(field)(millis)] as const
      )
    ),
    ...bounds.flatMap(([field, move]) =>
      [1, -1].map((by) => ["bound", `guard with ${field} ${by > 0 ? "+" : "-"} 1`, move(by)] as const)
    )
  ]
}

/** What is known of a row from records and commands. */
export interface SeenRow<State, Command> {
  /** The fields that its patch makes different, beside those of the status, with what it wrote. */
  readonly patched: SeenValues
  /** Records that it may start from, each with one of its commands. */
  readonly pairs: Pairs<State, Command>
}

/** The mistakes that one row can have. A change that no record can show is left out. */
export const rowMistakes = <
  State,
  Status extends string,
  Command extends { readonly _tag: string },
  Event extends string
>(
  statuses: ReadonlyArray<Status>,
  row: Row<State, Status, Command, Event>,
  { pairs, patched }: SeenRow<State, Command>,
  known: ReadonlyArray<Event>
): ReadonlyArray<Mistake<Row<State, Status, Command, Event>>> => {
  type Changed = Mistake<Row<State, Status, Command, Event>>
  const { conditions = [], emits, from, guard, patch, to } = row
  const { guard: _, refusal: __, ...unguarded } = row
  const leads = (other: Status | "same") =>
    from.some((each) => destination({ to: other }, each) !== destination(row, each))
  const changes: Array<Changed> = eventChanges(emits, known).map(([change, other]) => [
    "events",
    change,
    { ...row, emits: other }
  ])
  for (const other of [...statuses, "same" as const]) {
    if (other !== to && leads(other)) changes.push(["to", `to ${other}`, { ...row, to: other }])
  }
  for (const status of statuses) {
    changes.push(
      from.includes(status)
        ? ["from", `from without ${status}`, { ...row, from: from.filter((each) => each !== status) }]
        : ["from", `from with ${status}`, { ...row, from: [...from, status] }]
    )
  }
  if (guard !== undefined) {
    const asked: Guard<State, Command> = (self, command) => guard.call(row, self, command)
    changes.push(["guard", "guard dropped", unguarded])
    changes.push(["guard", "guard negated", { ...row, guard: (self, command) => !asked(self, command) }])
    for (const [operator, change, other] of guardMoves(asked, pairs))
      changes.push([operator, change, { ...row, guard: other }])
  }
  if (conditions.length > 1) {
    changes.push(["guard", "guard of any condition", { ...row, guard: holding(conditions, "some") }])
    for (const [index, [words]] of conditions.entries()) {
      const rest = conditions.toSpliced(index, 1)
      changes.push(["guard", `guard without: ${words}`, { ...row, conditions: rest, guard: holding(rest, "every") }])
    }
  }
  for (const [field, seen] of patched) {
    const writes = (change: (record: object) => object) => (self: State, command: Command) =>
      change(patch?.(self, command) ?? {})
    changes.push(["patch", `patch without ${field}`, { ...row, patch: writes((written) => without(written, field)) }])
    for (const [words, change] of valueChanges(seen)) {
      changes.push([
        "value",
        `patch with ${field} ${words}`,
        { ...row, patch: writes((written) => withChange(written, field, change)) }
      ])
    }
  }
  return changes
}

/** The mistakes in the data of one type of event. */
export const dataMistakes = <State, Command>(
  told: EventOf<State, Command, unknown>,
  seen: SeenValues
): ReadonlyArray<Mistake<EventOf<State, Command, unknown>>> =>
  [...seen].flatMap(([field, values]) =>
    valueChanges(values).map(([words, change]) => {
      const of = (state: State, command: Command | null) => withChange(Object(told.of(state, command)), field, change)
      return ["data", `tells ${field} ${words}`, { ...told, of }] as const
    })
  )

/** The mistakes in the births of a machine. */
export const birthMistakes = <Status extends string, Event extends string>(
  births: ReadonlyArray<Birth<Status, Event>>,
  statuses: ReadonlyArray<Status>,
  known: ReadonlyArray<Event>
): ReadonlyArray<Mistake<ReadonlyArray<Birth<Status, Event>>>> =>
  births.flatMap((birth, index) => {
    const others = statuses.filter((status) => status !== birth.to)
    const changes: ReadonlyArray<readonly [string, ReadonlyArray<Birth<Status, Event>>]> = [
      ["left out", births.toSpliced(index, 1)],
      ...others.map((to) => [`to ${to}`, births.with(index, { ...birth, to })] as const),
      ...eventChanges(birth.emits, known).map(
        ([change, emits]) => [change, births.with(index, { ...birth, emits })] as const
      )
    ]
    return changes.map(([change, mistaken]) => ["birth", `birth ${index + 1} ${change}`, mistaken] as const)
  })
