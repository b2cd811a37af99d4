import type { Base, Field } from "./TypeText.ts"

/** The fields of each record, by its name. */
export type Records = ReadonlyMap<string, ReadonlyArray<Field>>

/** A record that has all or a part of another, and how many lines it need not have. */
interface Likeness extends Base {
  readonly record: string
  readonly other: string
  readonly isWhole: boolean
  readonly lines: number
}

/** The fewest fields that one record picks of another. */
const fewest = 4

/** The most fields that are named to pick them or to leave them out. */
const mostNamed = 7

const quoted = (names: ReadonlyArray<string>): string => names.map((name) => JSON.stringify(name)).join(" | ")

/** Some fields of a record, by the shorter of two lists; undefined where both are long. */
const partText = (other: string, wanted: ReadonlyArray<string>, rest: ReadonlyArray<string>): string | undefined => {
  if (rest.length <= wanted.length && rest.length <= mostNamed) return `Omit<${other}, ${quoted(rest)}>`
  return wanted.length <= mostNamed ? `Pick<${other}, ${quoted(wanted)}>` : undefined
}

const linesOf = (fields: ReadonlyArray<Field>): number =>
  fields.reduce((lines, { words }) => lines + (words === "" ? 1 : 2), 0)

/** The words of a name that say what it is of: `Donation` and `Event` of `NewDonationEvent`. */
const subjectsOf = (name: string): ReadonlyArray<string> =>
  name.match(/[A-Z][a-z]+/g)?.filter((word) => !["New", "Patch", "Event", "Data", "Settlement"].includes(word)) ?? []

const areRelated = (record: string, other: string): boolean =>
  subjectsOf(record).some((word) => subjectsOf(other).includes(word))

/** What a record can have from another: all of it, or a good part. Words of its own that differ are written again. */
const likeness = (record: string, other: string, records: Records): ReadonlyArray<Likeness> => {
  const own = records.get(record) ?? []
  const others = new Map((records.get(other) ?? []).map((field) => [field.name, field]))
  const same = own.filter(({ code, name }) => others.get(name)?.code === code)
  const inherited = same.filter(({ name, words }) => words === "" || words === others.get(name)?.words)
  const names = inherited.map(({ name }) => name)
  const isWhole = same.length === others.size && others.size > 1
  const isPart = names.length >= fewest && names.length * 2 >= own.length && others.size >= own.length
  const rest = [...others.keys()].filter((name) => !names.includes(name))
  const text = isWhole ? other : isPart ? partText(other, names, rest) : undefined
  if (text === undefined || names.length === 0) return []
  return [{ record, other, isWhole, lines: linesOf(inherited), text, inherited: new Set(names) }]
}

/** For each record that has much of another that it may name, the one of which it has the most. */
export const basesOf = (records: Records, mayName: (record: string, other: string) => boolean) => {
  const names = [...records.keys()]
  const mayHave = (record: string, other: string): boolean =>
    record !== other && areRelated(record, other) && mayName(record, other)
  const found = names.flatMap((record) =>
    names.flatMap((other) => (mayHave(record, other) ? likeness(record, other, records) : []))
  )
  const bases = new Map<string, Likeness>()
  const leadsTo = (from: string | undefined, record: string): boolean =>
    from !== undefined && (from === record || leadsTo(bases.get(from)?.other, record))
  for (const each of found.toSorted((a, b) => Number(b.isWhole) - Number(a.isWhole) || b.lines - a.lines)) {
    if (!bases.has(each.record) && !leadsTo(each.other, each.record)) bases.set(each.record, each)
  }
  return bases
}
