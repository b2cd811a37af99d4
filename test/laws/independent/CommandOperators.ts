import {
  type AnyCommand,
  type AnyMachine,
  type Fields,
  fieldsIn,
  isPlain,
  kindOf,
  type Mutant,
  type Samples
} from "./AnyMachine.ts"

type Check = AnyMachine["check"]

/** A field of a command, or of a record in it. */
interface Place {
  readonly name: string
  readonly value: (command: Fields) => unknown
  readonly put: (command: Fields, value: unknown) => AnyCommand
}

/** How many commands of each tag are looked at. */
const examples = 40

/** Longer than any text may be. */
const tooLong = 20_000

const greatest = 2 ** 53

const isText = (value: unknown): value is string => typeof value === "string"

/** A value that no field takes: with it in its place a command is refused for that field. */
const nobodys = Symbol.for("nobody's")

/** A question that a value may not have an answer to: then it is no. */
const holds = (ask: () => boolean): boolean => {
  try {
    return ask()
  } catch {
    return false
  }
}

const placesOf = (commands: ReadonlyArray<Fields>, { name, put, value }: Place): ReadonlyArray<Place> => {
  const records = commands.map(value).filter(isPlain)
  return fieldsIn(records).flatMap((field) => {
    const inner: Place = {
      name: name === "" ? field : `${name}.${field}`,
      value: (command) => {
        const whole = value(command)
        return isPlain(whole) ? whole[field] : undefined
      },
      put: (command, other) => put(command, { ...Object(value(command)), [field]: other })
    }
    return field === "_tag" ? [] : [inner, ...placesOf(commands, inner)]
  })
}

/** The last number from one that is taken towards one that is not, which is. */
const lastTaken = (taken: number, refused: number, takes: (number: number) => boolean): number => {
  let [last, first] = [taken, refused]
  while (Math.abs(first - last) > 1) {
    const middle = Math.trunc((last + first) / 2)
    if (takes(middle)) last = middle
    else first = middle
  }
  return last
}

/** A bound of a field: what it is called, the values at it and beyond it, and one well inside. */
interface Bound {
  readonly name: string
  readonly isAt: (value: unknown) => boolean
  readonly isBeyond: (value: unknown) => boolean
  readonly inside: unknown
}

const boundsOf = (value: unknown, takes: (value: unknown) => boolean): ReadonlyArray<Bound> => {
  if (typeof value === "number") {
    return (
      [
        ["the largest", 1],
        ["the least", -1]
      ] as const
    ).flatMap(([name, sign]) => {
      const end = lastTaken(value, sign * greatest, takes)
      if (Math.abs(end) >= greatest - 1) return []
      return [{ name, isAt: (each) => each === end, isBeyond: (each) => each === end + sign, inside: value }]
    })
  }
  if (kindOf(value) !== "text" || !takes("x")) return []
  const most = lastTaken(1, tooLong, (length) => takes("x".repeat(length)))
  if (most >= tooLong - 1) return []
  const isLong = (length: number) => (each: unknown) => isText(each) && [...each].length === length
  return [{ name: "the longest", isAt: isLong(most), isBeyond: isLong(most + 1), inside: "x" }]
}

/** Checks with one mistake in one field of a command. */
const fieldChecks = (
  check: Check,
  tag: string,
  commands: ReadonlyArray<AnyCommand>,
  { put, value }: Place
): ReadonlyArray<readonly [operator: string, check: Check]> => {
  const sample = commands.find((command) => value(command) !== null && value(command) !== undefined)
  if (sample === undefined) return []
  const usual = value(sample)
  const takes = (other: unknown): boolean => check(put(sample, other)) === null
  /** Whatever a field holds, where it is so, counts as something else. */
  const counting =
    (as: unknown, isSo: (value: unknown) => boolean): Check =>
    (command) =>
      command?._tag === tag && holds(() => isSo(value(command))) ? check(put(command, as)) : check(command)
  const isMissing = (each: unknown) => each === undefined
  const isNull = (each: unknown) => each === null
  const isPart = (each: unknown) => typeof each === "number" && !Number.isInteger(each)
  return [
    ["a field is not checked", counting(usual, () => true)],
    ...(takes(undefined) ? [] : [["a field may be missing", counting(usual, isMissing)] as const]),
    ...(takes(null) ? [] : [["a field may be null", counting(usual, isNull)] as const]),
    ...(typeof usual === "number" ? [["parts of numbers are taken", counting(usual, isPart)] as const] : []),
    ...boundsOf(usual, takes).flatMap(
      ({ inside, isAt, isBeyond, name }) =>
        [
          [`${name} is refused`, counting(nobodys, isAt)],
          [`beyond ${name} is taken`, counting(inside, isBeyond)]
        ] as const
    )
  ]
}

/** Mistakes in what a machine takes for a command. */
export const commandMutants = (samples: Samples): ReadonlyArray<Mutant> => {
  const { machine } = samples
  const { check } = machine
  const checked = (operator: string, place: string, other: Check): Mutant => ({
    operator,
    place,
    machine: { ...machine, check: other },
    shownBy: "nothing"
  })
  const ofTags = samples.rows.flatMap(([tag]) => {
    const commands = samples.commandsOf(tag).slice(0, examples)
    const whole: Place = { name: "", value: (command) => command, put: (_, value) => Object(value) }
    return [
      { ...checked("a command is not checked", tag, (each) => (each?._tag === tag ? null : check(each))), tag },
      ...placesOf(commands, whole).flatMap((place) =>
        fieldChecks(check, tag, commands, place).map(([operator, other]) => ({
          ...checked(operator, `${tag} ${place.name}`, other),
          tag
        }))
      )
    ]
  })
  return [checked("any value is a command", "", () => null), ...ofTags]
}
