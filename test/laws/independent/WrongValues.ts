import { DateTime } from "effect"
import { fieldsIn, isPlain, kindOf, millisOf } from "./AnyMachine.ts"

type Change = (value: unknown) => unknown

/** A mistake in a value; one of another kind stays. */
export type WrongValue = readonly [words: string, change: Change]

const day = 86_400_000

const onInstants =
  (change: (millis: number) => number): Change =>
  (value) =>
    DateTime.isDateTime(value) ? DateTime.makeUnsafe(change(millisOf(value))) : value

const onNumbers =
  (change: (number: number) => number): Change =>
  (value) =>
    typeof value === "number" ? change(value) : value

const onTexts =
  (kind: string, change: (text: string) => string): Change =>
  (value) =>
    typeof value === "string" && kindOf(value) === kind ? change(value) : value

const onLists =
  (change: (list: ReadonlyArray<unknown>) => ReadonlyArray<unknown>): Change =>
  (value) =>
    Array.isArray(value) ? change(value) : value

const days =
  (count: number) =>
  (text: string): string =>
    new Date(Date.parse(text) + count * day).toISOString().slice(0, 10)

/** The mistakes by the kind of value that they are made in. */
const mistakes: Readonly<Record<string, ReadonlyArray<WrongValue>>> = {
  instant: [
    ["instant + 1 ms", onInstants((millis) => millis + 1)],
    ["instant - 1 ms", onInstants((millis) => millis - 1)],
    ["instant + 1 day", onInstants((millis) => millis + day)],
    ["instant - 1 day", onInstants((millis) => millis - day)],
    ["instant of another timezone", onInstants((millis) => millis + 10 * 3_600_000)],
    ["instant cut to the second", onInstants((millis) => Math.floor(millis / 1_000) * 1_000)],
    ["instant cut to the day", onInstants((millis) => Math.floor(millis / day) * day)]
  ],
  number: [
    ["number + 1", onNumbers((number) => number + 1)],
    ["number - 1", onNumbers((number) => number - 1)],
    ["number times 100", onNumbers((number) => number * 100)],
    ["hundredth of the number", onNumbers((number) => Math.floor(number / 100))],
    ["number with another sign", onNumbers((number) => -number)],
    ["number 0", onNumbers(() => 0)],
    ["number of 32 bits", onNumbers((number) => number | 0)]
  ],
  day: [
    ["day + 1", onTexts("day", days(1))],
    ["day - 1", onTexts("day", days(-1))]
  ],
  text: [
    ["text in capitals", onTexts("text", (text) => text.toUpperCase())],
    ["text in small letters", onTexts("text", (text) => text.toLowerCase())],
    ["text without blanks at its ends", onTexts("text", (text) => text.trim())],
    ["text without its last character", onTexts("text", (text) => text.slice(0, -1))],
    ["empty text", onTexts("text", () => "")],
    ["text cut to 50", onTexts("text", (text) => text.slice(0, 50))]
  ],
  boolean: [["flag negated", (value) => (typeof value === "boolean" ? !value : value)]],
  list: [
    ["empty list", onLists(() => [])],
    ["list without its first", onLists((list) => list.slice(1))],
    ["list without its last", onLists((list) => list.slice(0, -1))],
    ["list with its last twice", onLists((list) => [...list, ...list.slice(-1)])],
    ["list in reverse", onLists((list) => list.toReversed())]
  ]
}

const isThere = (value: unknown): boolean => value !== null && value !== undefined

/** Another of the texts that a field was seen to have. */
const otherText = (seen: ReadonlyArray<unknown>): ReadonlyArray<WrongValue> => {
  const texts = [...new Set(seen.filter((value) => typeof value === "string"))].sort()
  if (texts.length < 2) return []
  return [
    [
      "another of its values",
      (value) => (typeof value === "string" ? texts[(texts.indexOf(value) + 1) % texts.length] : value)
    ]
  ]
}

const within =
  (field: string, change: Change): Change =>
  (value) =>
    isPlain(value) && field in value ? { ...value, [field]: change(value[field]) } : value

const inFirst =
  (field: string, change: Change): Change =>
  (value) =>
    Array.isArray(value) && value.length > 0 ? [within(field, change)(value[0]), ...value.slice(1)] : value

/** The mistakes in the fields of what a field holds: of records, and of the first record of lists. */
const innerMistakes = (seen: ReadonlyArray<unknown>): ReadonlyArray<WrongValue> => {
  const each = (values: ReadonlyArray<unknown>, where: string, put: typeof within): ReadonlyArray<WrongValue> => {
    const records = values.filter(isPlain)
    return fieldsIn(records).flatMap((field) => {
      const inner = records.map((record) => record[field])
      return valueMistakes(inner, field).map(
        ([words, change]): WrongValue => [`${where}${field}: ${words}`, put(field, change)]
      )
    })
  }
  const firsts = seen.flatMap((value) => (Array.isArray(value) ? value.slice(0, 1) : []))
  return [...each(seen, "", within), ...each(firsts, "first ", inFirst)]
}

/** The mistakes in a value by itself, without those in the fields of what it holds. */
export const valueMistakes = (seen: ReadonlyArray<unknown>, field: string): ReadonlyArray<WrongValue> => {
  const kinds = new Set(seen.map(kindOf))
  const some = seen.find(isThere)
  return [
    ...Object.entries(mistakes).flatMap(([kind, each]) => (kinds.has(kind) ? each : [])),
    ...(some === undefined ? [] : [["null for a value", () => null] as const]),
    ...otherText(seen),
    ...(kinds.has("null") && some !== undefined ? [["a value for null", (value) => value ?? some] as WrongValue] : []),
    ...(field.includes("currency") && seen.some((value) => typeof value === "string")
      ? ["AUD", "USD"].map((code): WrongValue => [`always ${code}`, () => code])
      : [])
  ]
}

/** All mistakes in a field, of which some values were seen. */
export const wrongValues = (seen: ReadonlyArray<unknown>, field: string): ReadonlyArray<WrongValue> => [
  ...valueMistakes(seen, field),
  ...innerMistakes(seen)
]
