import { DateTime } from "effect"
import {
  type Alteration,
  type AnyCommand,
  type AnyRow,
  type Fields,
  fieldsIn,
  kindsIn,
  overlap,
  type Samples
} from "./AnyMachine.ts"
import { pairsOf } from "./RowOperators.ts"
import { wrongValues } from "./WrongValues.ts"

type Change = (written: Fields, self: Fields, command: AnyCommand) => Fields
type Changes = ReadonlyArray<Alteration<Change>>

/** What a patch was seen to write, by fields. */
const writtenBy = (samples: Samples, tag: string, row: AnyRow): ReadonlyMap<string, ReadonlyArray<unknown>> => {
  const seen = new Map<string, Array<unknown>>()
  for (const [state, command] of pairsOf(samples, tag, row)) {
    if (row.guard?.(state, command) === false) continue
    for (const [field, value] of Object.entries(row.patch?.(state, command) ?? {})) {
      seen.set(field, [...(seen.get(field) ?? []), value])
    }
  }
  return seen
}

/** The value of a field is another, where it is written. */
const instead =
  (field: string, value: (...given: Parameters<Change>) => unknown): Change =>
  (written, self, command) =>
    field in written ? { ...written, [field]: value(written, self, command) } : written

/** The mistakes in a field that is written. */
const writtenChanges = (samples: Samples, field: string, seen: ReadonlyArray<unknown>): Changes => {
  const before = samples.valuesOf(field)
  const without: Change = ({ [field]: _, ...rest }) => rest
  const sum = (one: unknown, other: unknown) => (typeof one === "number" ? one : 0) + Number(other)
  return [
    ["field not written", field, without],
    [
      "field written only where it was null",
      field,
      instead(field, (written, self) => (self[field] === null ? written[field] : self[field]))
    ],
    ...(before.includes(null)
      ? [
          [
            "field written only where it was not null",
            field,
            instead(field, (written, self) => (self[field] === null ? null : written[field]))
          ] as const
        ]
      : []),
    ["field removed", field, instead(field, () => undefined)],
    ...(kindsIn(seen).has("number")
      ? [["number added up", field, instead(field, (written, self) => sum(self[field], written[field]))] as const]
      : []),
    ...wrongValues([...seen, ...before], field).map(
      ([words, change]) => [`writes ${words}`, field, instead(field, (written) => change(written[field]))] as const
    )
  ]
}

/** A field gets the value of another: of the record, of the command, or of what is written. */
const wrongSources = (
  samples: Samples,
  tag: string,
  written: ReadonlyMap<string, ReadonlyArray<unknown>>,
  field: string
): Changes => {
  const given = samples.commandsOf(tag)
  const kinds = kindsIn(written.get(field) ?? [])
  const isAlike = (values: ReadonlyArray<unknown>) => overlap(kinds, kindsIn(values))
  const ofCommand = fieldsIn(given).filter(
    (other) => other !== "_tag" && isAlike(given.map((command) => command[other]))
  )
  const swapped = [...written].filter(([other, values]) => other > field && isAlike(values))
  return [
    ...samples
      .alike(field, kinds)
      .map(
        (other) => ["writes another field", `${field} ← ${other}`, instead(field, (_, self) => self[other])] as const
      ),
    ...ofCommand.map(
      (other) =>
        [
          "writes another field",
          `${field} ← the command's ${other}`,
          instead(field, (_, __, command) => command[other])
        ] as const
    ),
    ...swapped.map(
      ([other]) =>
        [
          "writes two fields crosswise",
          `${field}, ${other}`,
          (each: Fields) =>
            field in each && other in each ? { ...each, [field]: each[other], [other]: each[field] } : each
        ] as const
    )
  ]
}

/** The mistakes with a field that a row leaves alone. */
const untouchedChanges = (samples: Samples, field: string): Changes => {
  const seen = samples.valuesOf(field)
  const kinds = samples.kindsOf(field)
  const some = seen.filter((value) => value !== null && value !== undefined)
  const differs = (one: unknown, other: unknown) =>
    DateTime.isDateTime(one) && DateTime.isDateTime(other) ? !DateTime.Equivalence(one, other) : one !== other
  const other = (self: Fields) => some.find((value) => differs(value, self[field]))
  const ifOf =
    (type: "number" | "string", value: (given: string | number) => unknown): Change =>
    (written, self) => {
      const given = self[field]
      return typeof given === type && (typeof given === "number" || typeof given === "string")
        ? { ...written, [field]: value(given) }
        : written
    }
  const changes: ReadonlyArray<readonly [has: boolean, operator: string, change: Change]> = [
    [seen.includes(null), "also resets a field", (written) => ({ ...written, [field]: null })],
    [some.length > 0, "also sets a field", (written, self) => ({ ...written, [field]: other(self) })],
    [kinds.has("instant"), "also dates a field", (written, _, { at }) => ({ ...written, [field]: at })],
    [kinds.has("number"), "also counts a field", ifOf("number", (given) => Number(given) + 1)],
    [kinds.has("number"), "also sets a field to 0", ifOf("number", () => 0)],
    [kinds.has("text"), "also trims a field", ifOf("string", (given) => String(given).trim())],
    [kinds.has("list"), "also empties a field", (written) => ({ ...written, [field]: [] })]
  ]
  return changes.flatMap(([has, operator, change]) => (has ? [[operator, field, change] as const] : []))
}

/** The mistakes in what a row writes. */
export const patchChanges = (samples: Samples, tag: string, row: AnyRow): ReadonlyArray<Alteration<AnyRow>> => {
  const written = writtenBy(samples, tag, row)
  const untouched = samples.fields.filter((field) => !written.has(field) && !samples.statusFields.includes(field))
  const changes: Changes = [
    ...[...written].flatMap(([field, seen]) => [
      ...writtenChanges(samples, field, seen),
      ...wrongSources(samples, tag, written, field)
    ]),
    ...untouched.flatMap((field) => untouchedChanges(samples, field)),
    ["writes into the record", "", (each, self) => Object.assign(self, each)],
    ["writes a field that there is not", "", (each) => ({ ...each, is_seen: true })]
  ]
  return changes.map(([operator, place, change]) => [
    operator,
    place,
    { ...row, patch: (self, command) => change({ ...row.patch?.(self, command) }, self, command) }
  ])
}
