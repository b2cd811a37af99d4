import { Result } from "effect"
import type { CalendarDate } from "../kernel/CalendarDate.ts"
import { Limits } from "../kernel/Limits.ts"
import { addDays } from "../kernel/Schedule.ts"
import type { ImportFault, LineFault, StatementItem, StatementLine } from "./Statement.ts"

/** Lines of a file that are imported at once: whole days, wherever their lines stand among each other. */
export interface StatementPart {
  /** How many lines of the file it has, after those of the parts before it. */
  readonly count: number
  readonly days: ReadonlySet<CalendarDate>
}

/** The first and the last of days. */
export interface DayRange {
  readonly first: CalendarDate
  readonly last: CalendarDate
}

/** What a file has on the whole. */
export interface StatementOverview {
  readonly parts: ReadonlyArray<StatementPart>
  /** All its days, in order. */
  readonly days: ReadonlyArray<CalendarDate>
  /** The first and the last of them; today where it has none. */
  readonly range: DayRange
  /** The first of the lines that are no payments, and were to be passed over, and how many there are. */
  readonly passed: ReadonlyArray<LineFault>
  readonly passedCount: number
}

/** Where in a file the lines of days stand, counted from 0: from the first of them up to the end. */
interface DaySpan {
  readonly days: Set<CalendarDate>
  readonly first: number
  end: number
}

/** Days whose lines stand amid each other are one, and neighbours are while they are few. The spans come in order. */
const partsOf = (spans: Iterable<DaySpan>): ReadonlyArray<StatementPart> => {
  const knots: Array<DaySpan> = []
  for (const span of spans) {
    const before = knots.at(-1)
    if (before === undefined || span.first >= before.end) knots.push({ ...span, days: new Set(span.days) })
    else {
      for (const day of span.days) before.days.add(day)
      before.end = Math.max(before.end, span.end)
    }
  }
  const parts: Array<{ count: number; readonly days: Set<CalendarDate> }> = []
  for (const { days, end, first } of knots) {
    const before = parts.at(-1)
    const count = end - first
    if (before === undefined || before.count + count > Limits.creditLines) parts.push({ days, count })
    else {
      for (const day of days) before.days.add(day)
      before.count += count
    }
  }
  return parts
}

/** Takes the items of a file one after another, and keeps no line of it. */
export const makeOverview = (isPassingOver: boolean) => {
  const spans = new Map<CalendarDate, DaySpan>()
  const faults: Array<LineFault> = []
  const passed: Array<LineFault> = []
  const count = { lines: 0, faults: 0, passed: 0 }

  const takeLine = ({ day }: StatementLine): void => {
    const span = spans.get(day)
    const first = count.lines
    count.lines += 1
    if (span === undefined) spans.set(day, { days: new Set([day]), first, end: count.lines })
    else span.end = count.lines
  }
  const takeFault = (fault: LineFault): void => {
    const isPassed = isPassingOver && fault.isOdd === true
    const [kept, name, most] = isPassed
      ? ([passed, "passed", Limits.creditPassed] as const)
      : ([faults, "faults", Limits.creditFaults] as const)
    count[name] += 1
    if (kept.length < most) kept.push(fault)
  }
  return {
    take: (item: StatementItem): void => (Result.isFailure(item) ? takeFault(item.failure) : takeLine(item.success)),
    /** Fails with what is wrong about the file. */
    end: (today: CalendarDate): Result.Result<StatementOverview, ImportFault> => {
      const [fault] = faults
      if (fault !== undefined) {
        return Result.fail({ param: fault.param ?? "content", faults, count: count.faults })
      }
      const parts = partsOf(spans.values())
      const long = parts.find((part) => part.count > Limits.creditDaysLines)
      if (long !== undefined) {
        const [day = "", ...others] = long.days
        const most = Limits.creditDaysLines
        const says =
          others.length === 0
            ? `content must have at most ${most} lines of a day: ${day} has ${long.count}. Import them in several files, each after the first with is_further.`
            : `content must have its lines in the order of their days: with ${day}, ${long.count} lines stand amid each other, and at most ${most} are read at once.`
        return Result.fail({ param: "content", faults: [{ line: 0, says }] })
      }
      const days = Array.from(spans.keys()).toSorted()
      const range = { first: days[0] ?? today, last: days.at(-1) ?? today }
      return Result.succeed({ parts, days, range, passed, passedCount: count.passed })
    }
  }
}

/** Where in days in order the last stands that is not after a day; the first where none is. */
const indexOf = (days: ReadonlyArray<CalendarDate>, day: CalendarDate): number => {
  let low = 0
  let high = days.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((days[middle] ?? day) <= day) low = middle
    else high = middle
  }
  return low
}

/** The days of which a part of a file tells: its own, and those after each on which the file has nothing. */
export const coverOf = ({ days: own }: StatementPart, { days, range }: StatementOverview) => {
  const sorted = Array.from(own).toSorted()
  const next = days[indexOf(days, sorted.at(-1) ?? range.last) + 1]
  return {
    first: sorted[0] ?? range.first,
    last: next === undefined ? range.last : addDays(next, -1),
    has: (day: CalendarDate): boolean => own.has(days[indexOf(days, day)] ?? range.first)
  }
}
