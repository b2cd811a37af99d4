import { Predicate, Schema } from "effect"
import fc from "fast-check"

/** Values that fields seldom take. */
const strangers: ReadonlyArray<unknown> = [
  null,
  undefined,
  "",
  "2026-02-30",
  "\u0000",
  "x".repeat(5_000),
  -1,
  0,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.MAX_SAFE_INTEGER,
  true,
  [],
  [null],
  {},
  { at: "now" }
]

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Predicate.isObject(value) && Object.getPrototypeOf(value) === Object.prototype

/** The record with one field of it, or of a record in it, changed or gone. */
const spoilt = (record: Readonly<Record<string, unknown>>, pick: number, value: unknown, gone: boolean): unknown => {
  const keys = Object.keys(record)
  const key = keys[pick % keys.length] ?? "_tag"
  const inner = record[key]
  if (isRecord(inner) && Object.keys(inner).length > 0 && pick % 2 === 0) {
    return { ...record, [key]: spoilt(inner, Math.floor(pick / 2), value, gone) }
  }
  return gone
    ? Object.fromEntries(Object.entries(record).filter(([each]) => each !== key))
    : { ...record, [key]: value }
}

/**
 * Values that are almost commands: one field is gone or holds what its schema does not take, or the tag is nobody's. They
 * have the type of commands only, as a caller without types has them.
 */
export const hostileCommands = <Command extends { readonly _tag: string }>(
  schema: Schema.Schema<Command>,
  commands: fc.Arbitrary<Command>
): fc.Arbitrary<Command> => {
  const is: (value: unknown) => boolean = Schema.is(schema)
  return fc
    .tuple(commands, fc.nat(), fc.constantFrom(...strangers), fc.boolean())
    .map(([command, pick, value, gone]) => spoilt({ ...command }, pick, value, gone) as Command)
    .filter((value) => !is(value))
}
