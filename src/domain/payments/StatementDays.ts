import type { CalendarDate } from "../kernel/CalendarDate.ts"
import { Limits } from "../kernel/Limits.ts"
import { type Credit, foldedText } from "./Credit.ts"
import type { StatementLine } from "./Statement.ts"
import { referencesIn } from "./TransferReference.ts"

/** A line that is recorded, as far as others are compared with it. */
export type RecordedLine = Pick<
  Credit,
  "id" | "account" | "day" | "amount_cents" | "text" | "reference" | "bank_id" | "balance_cents" | "import_id"
>

/** A file whose lines are compared with those that are recorded. */
export interface ComparedFile {
  readonly lines: ReadonlyArray<StatementLine>
  /** The first and the last day of which it has any line. */
  readonly days: { readonly first: CalendarDate; readonly last: CalendarDate }
  readonly import_id: string
  readonly account: string
  /** Whether it goes on amid a day: lines that are alike are others. */
  readonly isFurther: boolean
}

/** Lines of a file, and how they stand to those that are recorded. */
export interface Comparison {
  /** Lines that are not recorded. */
  readonly fresh: ReadonlyArray<StatementLine>
  /** Recorded ones, with the lines that they are. */
  readonly known: ReadonlyArray<readonly [RecordedLine, StatementLine]>
  /** How the file contradicts what is recorded, in words. */
  readonly doubts: ReadonlyArray<string>
  /** The same, where nothing else of the file is known. */
  readonly torn: ReadonlyArray<string>
}

type Alike = Pick<StatementLine, "day" | "amount_cents" | "text" | "bank_id" | "balance_cents">

/** What lines have in common that are one; none where they cannot be told by it. */
type Key = (line: Alike) => string | null

const byId: Key = ({ bank_id }) => bank_id

const byBalance: Key = ({ amount_cents, balance_cents, day }) =>
  balance_cents === null ? null : `${day} ${amount_cents} ${balance_cents}`

const byText: Key = ({ amount_cents, day, text }) => `${day} ${amount_cents} ${foldedText(text)}`

const isStill = (line: StatementLine | undefined): line is StatementLine => line !== undefined

/** Pairs lines by a key, each with one that is recorded, and leaves those that are alone. */
const paired = (
  lines: ReadonlyArray<StatementLine>,
  recorded: Set<RecordedLine>,
  key: Key,
  may: (each: RecordedLine) => boolean
) => {
  const waiting = new Map<string, Array<RecordedLine>>()
  for (const each of recorded) {
    const of = may(each) ? key(each) : null
    if (of === null) continue
    const alike = waiting.get(of)
    if (alike === undefined) waiting.set(of, [each])
    else alike.push(each)
  }
  const known: Array<readonly [RecordedLine, StatementLine]> = []
  const rest = lines.map((line) => {
    const of = key(line)
    const found = of === null ? undefined : waiting.get(of)?.shift()
    if (found === undefined) return line
    recorded.delete(found)
    known.push([found, line])
    return undefined
  })
  return { known, rest: rest.filter(isStill) }
}

/** The references by which a line that a person writes is known: its charge's; else all, since one may be there by chance. */
const referencesOf = ({ reference, text }: Pick<RecordedLine, "reference" | "text">): ReadonlyArray<string> => {
  const all = referencesIn(text)
  return reference !== null && all.includes(reference) ? [reference] : all
}

/**
 * Whether a line that a person is about to record may be one that is: another of a person's by its text, and one of a file by
 * its references, for what a person writes is not what the bank does. Without a reference it may be any of its day and amount.
 */
export const isRecordedAs = (
  recorded: RecordedLine,
  line: Pick<RecordedLine, "day" | "amount_cents" | "reference" | "text">
): boolean => {
  if (recorded.day !== line.day || recorded.amount_cents !== line.amount_cents) return false
  if (recorded.import_id === null) return foldedText(recorded.text) === foldedText(line.text)
  const read = new Set(referencesIn(recorded.text))
  return referencesOf(line).every((reference) => read.has(reference))
}

type Marked = Pick<Alike, "balance_cents" | "bank_id">

/** Whether ids or balances tell two lines apart that are not one by these: both have them. */
const areTold = (one: Marked, other: Marked): boolean =>
  (one.bank_id !== null && other.bank_id !== null) || (one.balance_cents !== null && other.balance_cents !== null)

/** Pairs lines with those that a person recorded, by day, amount and references. */
const pairedByHand = (
  lines: ReadonlyArray<StatementLine>,
  recorded: Set<RecordedLine>,
  may: (each: RecordedLine) => boolean
) => {
  const byHand = Array.from(recorded).flatMap((each) => {
    const references = each.import_id === null && may(each) ? referencesOf(each) : []
    return references.length === 0 ? [] : [{ each, references }]
  })
  const known: Array<readonly [RecordedLine, StatementLine]> = []
  const rest = lines.filter((line) => {
    const read = new Set(byHand.length === 0 ? [] : referencesIn(line.text))
    const isSame = ({ each, references }: (typeof byHand)[number]) =>
      recorded.has(each) &&
      !areTold(each, line) &&
      each.day === line.day &&
      each.amount_cents === line.amount_cents &&
      references.every((reference) => read.has(reference))
    const found = byHand.find(isSame)
    if (found === undefined) return true
    recorded.delete(found.each)
    known.push([found.each, line])
    return false
  })
  return { known, rest }
}

const listed = (named: ReadonlyArray<string>): string => {
  const more = named.length - Limits.creditFaults
  return `${named.slice(0, Limits.creditFaults).join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}

const lacking = (recorded: ReadonlyArray<RecordedLine>): ReadonlyArray<string> =>
  recorded.length === 0
    ? []
    : [
        `These are recorded of its days, and it does not have them: ${listed(recorded.map(({ day, id }) => `${id} of ${day}`))}.`
      ]

const changed = (known: Comparison["known"]): ReadonlyArray<string> => {
  const others = known.filter(([before, line]) => before.amount_cents !== line.amount_cents)
  return others.length === 0
    ? []
    : [
        `These were recorded with another amount: ${listed(others.map(([{ id }, { line }]) => `line ${line}, as ${id}`))}.`
      ]
}

/** What the bank may have given another id: it gave none of the ids again that are recorded of the file's days. */
const renamed = (
  isAnyKnown: boolean,
  fresh: ReadonlyArray<StatementLine>,
  alone: ReadonlyArray<RecordedLine>
): ReadonlyArray<string> => {
  const texts = new Set(isAnyKnown ? [] : fresh.flatMap((line) => (line.bank_id === null ? [] : (byText(line) ?? []))))
  const others = alone.filter((each) => each.bank_id !== null && texts.has(byText(each) ?? ""))
  return others.length === 0
    ? []
    : [
        `These are recorded of its days, and it has their day, amount and text with other ids: ${listed(others.map(({ id }) => id))}. Say with is_further that they came again; if the bank changed its ids, import CSV without them.`
      ]
}

/**
 * A day in which one file may end and another begin: all that is known of the file is on that day, is all that is recorded of
 * it and all that the file has of it, and is of one text, as two halves of a day may both have it.
 */
const torn = (
  { days, import_id }: ComparedFile,
  known: Comparison["known"],
  fresh: ReadonlyArray<StatementLine>,
  left: ReadonlyArray<RecordedLine>
): ReadonlyArray<string> => {
  const [day] = known.map(([, line]) => line.day)
  const isEdge = day === days.first || day === days.last
  const isWhole = !fresh.some((line) => line.day === day) && !left.some((each) => each.day === day)
  const isOne = new Set(known.map(([, line]) => byText(line))).size === 1
  const isOther = known.every(([before]) => before.import_id !== null && before.import_id !== import_id)
  if (!isEdge || !isWhole || !isOne || !isOther) return []
  const lines = listed(known.map(([{ id }, { line }]) => `line ${line}, as ${id}`))
  return [
    `All that is recorded of ${day} was in another file and is in this one: ${lines}. Say with is_further that these came again because that file ended amid the day, or with anyway that they are the same.`
  ]
}

const askedPairs = (pairs: Comparison["known"], what: string, otherwise: string): ReadonlyArray<string> =>
  pairs.length === 0
    ? []
    : [
        `${what}: ${listed(pairs.map(([{ id }, { line }]) => `line ${line}, as ${id}`))}. Say with anyway that they are the same, or ${otherwise}.`
      ]

/** Which marks, id and balance, lines may have beside recorded ones of which: a mark that both have would tell them apart. */
const comparable = [
  ["ib", ""],
  ["i", "b"],
  ["i", ""],
  ["b", "i"],
  ["b", ""],
  // What may be any comes last, and first is what may be it without a doubt.
  ["", ""],
  ["", "b"],
  ["", "i"],
  ["", "ib"]
] as const

const marksOf = ({ balance_cents, bank_id }: Marked): string =>
  `${bank_id === null ? "" : "i"}${balance_cents === null ? "" : "b"}`

/** Pairs as many lines as can be by their texts, where neither ids nor balances tell them apart. */
const pairedByText = (
  lines: ReadonlyArray<StatementLine>,
  recorded: Set<RecordedLine>,
  may: (each: RecordedLine) => boolean
) => {
  const known: Array<readonly [RecordedLine, StatementLine]> = []
  const fresh = new Set(lines)
  for (const [marks, others] of comparable) {
    const those = Array.from(fresh).filter((line) => marksOf(line) === marks)
    const pairs = paired(those, recorded, byText, (each) => marksOf(each) === others && may(each))
    known.push(...pairs.known)
    for (const [, line] of pairs.known) fresh.delete(line)
  }
  return { known, rest: Array.from(fresh) }
}

const byAmount = ({ amount_cents, day }: Pick<Alike, "amount_cents" | "day">, marks: string) =>
  `${day} ${amount_cents} ${marks}`

/** What was recorded with an id or a balance, and may be what the file has without that in other words. */
const reworded = (fresh: ReadonlyArray<StatementLine>, alone: ReadonlyArray<RecordedLine>): ReadonlyArray<string> => {
  const amounts = new Set(fresh.map((line) => byAmount(line, marksOf(line))))
  const unsure = alone.filter((each) =>
    comparable.some(([marks, others]) => others === marksOf(each) && amounts.has(byAmount(each, marks)))
  )
  return unsure.length === 0
    ? []
    : [
        `These are recorded with an id or a balance, and it has their day and amount in other words without: ${listed(unsure.map(({ id }) => id))}. Say with anyway that those are others, or take them out.`
      ]
}

/**
 * Compares the lines of a file with those that are recorded: by the bank's ids, by the balances after them, and else by day, amount
 * and text, of which a file has the whole of each of its days. A line that a person recorded is known by its reference, too.
 * A line without what others of the file have, an id or a balance, may be one that was recorded with it, also in other words.
 * @example
 * const day = CalendarDate.CalendarDate.make("2026-07-01")
 * const line = { line: 2, day, amount_cents: 50_00, text: "GIFT KIM", bank_id: null, balance_cents: null }
 * const file = { days: { first: day, last: day }, import_id: "b", account: "062-000 12345678", isFurther: false }
 * StatementDays.compareDays({ ...file, lines: [line] }, []).fresh.length // => 1
 * const before = { ...line, reference: null, id: Ids.CreditId.make("crd_01jqz6x8h4e5vb9m2k7ncw3t5d"), account: file.account, import_id: "a" }
 * const two = { ...file, lines: [line, { ...line, line: 3 }] }
 * StatementDays.compareDays(two, [before]).fresh.length // => 1
 * StatementDays.compareDays({ ...file, lines: [] }, [before]).doubts.length // => 1
 */
export const compareDays = (file: ComparedFile, recorded: ReadonlyArray<RecordedLine>): Comparison => {
  const { account, days, import_id, isFurther, lines } = file
  const hasIds = lines.some(({ bank_id }) => bank_id !== null)
  const hasBalances = lines.some(({ balance_cents }) => balance_cents !== null)
  /** Whether its text must do, because the file or the line has nothing better. */
  const isByText = (each: RecordedLine) =>
    !(hasIds && each.bank_id !== null) && !(hasBalances && each.balance_cents !== null)
  const isSame = (each: RecordedLine) => !isFurther || each.import_id === import_id || each.import_id === null
  const alone = new Set(recorded)
  const ids = paired(lines, alone, byId, () => true)
  const balances = paired(ids.rest, alone, byBalance, () => true)
  const texts = pairedByText(balances.rest, alone, isSame)
  const references = pairedByHand(texts.rest, alone, isSame)
  const inDays = Array.from(alone).filter(
    (each) => each.account === account && each.day >= days.first && each.day <= days.last
  )
  const left = inDays.filter(isByText)
  const known = [...ids.known, ...balances.known, ...texts.known, ...references.known]
  const other = renamed(ids.known.length > 0, references.rest, inDays)
  // Amid the file a day is whole, so that what it does not have with an id it has without.
  const isEdge = (day: CalendarDate) => day === days.first || day === days.last
  const byWords = [...texts.known, ...references.known]
  const unsure = byWords.filter(
    ([before, { day }]) => before.import_id !== import_id && !isByText(before) && isEdge(day)
  )
  const byHand = byWords.filter(([{ import_id }]) => import_id === null)
  const doubts = isFurther
    ? askedPairs(byHand, "A person recorded these", "record them by hand before where they came once more")
    : [
        ...lacking(left),
        ...other,
        ...reworded(
          references.rest,
          inDays.filter((each) => !isByText(each))
        ),
        ...askedPairs(
          unsure,
          "These are recorded with an id or a balance, and it has their day, amount and text without",
          "with is_further that they came again because a file ended amid the day"
        )
      ]
  return {
    fresh: references.rest,
    known,
    doubts: [...changed(known), ...doubts],
    torn: isFurther ? [] : torn(file, texts.known, references.rest, left)
  }
}
