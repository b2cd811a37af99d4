import { Order, Schema } from "effect"
import { CalendarDate, firstDay, lastDay } from "../kernel/CalendarDate.ts"
import { Limits } from "../kernel/Limits.ts"
import { addDays, daysBetween } from "../kernel/Schedule.ts"
import type { ElectionPhase } from "./Duty.ts"
import { Regime } from "./Regime.ts"

/** An election of a jurisdiction, by which notices of gifts are due sooner. law, sections 1 and 2. */
export class Election extends Schema.Opaque<Election>()(
  Schema.Struct({
    jurisdiction: Regime.fields.jurisdiction,
    name: Regime.fields.name,
    writ_on: CalendarDate,
    polling_on: CalendarDate
  }).annotate({
    identifier: "Election",
    meanings: {
      jurisdiction: "Where it is held, such as AU or AU-NSW.",
      name: "What it is called.",
      writ_on: "The day on which the writ is issued.",
      polling_on: "Polling day."
    }
  })
) {}

/** The days after polling day on which an election still counts. */
const daysAfterPolling = 7

/**
 * The last day of an election: the seventh after polling day.
 * @example Election.lastDayOf({ polling_on: CalendarDate.CalendarDate.make("2028-05-20") }) // => "2028-05-27"
 */
export const lastDayOf = ({ polling_on }: Pick<Election, "polling_on">): CalendarDate =>
  addDays(polling_on, Math.min(daysAfterPolling, daysBetween(polling_on, lastDay)))

/** The days from the Saturday before polling day, which is never polling day itself; the calendar begins with a Monday. */
const daysFromSaturday = (polling_on: CalendarDate): number => ((daysBetween(firstDay, polling_on) + 1) % 7) + 1

/** The first day of the expedited part: the Saturday before polling day, or that of the writ where it is later. */
export const expeditedFrom = ({ polling_on, writ_on }: Pick<Election, "polling_on" | "writ_on">): CalendarDate =>
  addDays(polling_on, -Math.min(daysFromSaturday(polling_on), daysBetween(writ_on, polling_on)))

/**
 * The phase of the elections of a jurisdiction on a day; the most urgent where there are several.
 * @example
 * const on = (day: string) =>
 *   Election.electionAt(
 *     [
 *       {
 *         jurisdiction: "AU",
 *         name: "General election",
 *         writ_on: CalendarDate.CalendarDate.make("2028-04-17"),
 *         polling_on: CalendarDate.CalendarDate.make("2028-05-20")
 *       }
 *     ],
 *     "AU",
 *     CalendarDate.CalendarDate.make(day)
 *   )
 * on("2028-05-12") // => "ELECTION"
 * on("2028-05-13") // => "EXPEDITED"
 * on("2028-05-28") // => "NONE"
 */
export const electionAt = (
  elections: ReadonlyArray<Election>,
  jurisdiction: string,
  day: CalendarDate
): ElectionPhase => {
  const held = elections.filter(
    (each) => each.jurisdiction === jurisdiction && each.writ_on <= day && day <= lastDayOf(each)
  )
  if (held.some((each) => expeditedFrom(each) <= day)) return "EXPEDITED"
  return held.length > 0 ? "ELECTION" : "NONE"
}

const daysOf = ({ name, polling_on, writ_on }: Election): string => `${name} (${writ_on} to polling on ${polling_on})`

const faultOf = (election: Election, known: ReadonlySet<string>): string | null => {
  const { jurisdiction, polling_on, writ_on } = election
  if (!known.has(jurisdiction)) {
    return `${election.name} is of ${jurisdiction}, which is not known: name one of ${[...known].join(", ")}, or bring a regime for it.`
  }
  if (polling_on <= writ_on) return `The writ of ${daysOf(election)} must come before polling day.`
  return daysBetween(writ_on, polling_on) <= Limits.electionDays
    ? null
    : `Polling day of ${daysOf(election)} must come at most ${Limits.electionDays} days after the writ.`
}

/** What tells elections apart: no two of a jurisdiction have a writ of one day. */
export const electionKey = ({ jurisdiction, writ_on }: Pick<Election, "jurisdiction" | "writ_on">): string =>
  `${jurisdiction} ${writ_on}`

/** The order of elections: by jurisdiction, and then by the day of the writ. */
export const byWrit = Order.mapInput(Order.String, electionKey)

/** What is wrong with elections as a whole, in a sentence; null where they may be kept: no two of one jurisdiction share a day. */
export const electionsFault = (elections: ReadonlyArray<Election>, known: ReadonlySet<string>): string | null => {
  for (const election of elections) {
    const fault = faultOf(election, known)
    if (fault !== null) return fault
  }
  const sorted = elections.toSorted(byWrit)
  for (const [index, next] of sorted.slice(1).entries()) {
    const before = sorted[index]
    if (before !== undefined && before.jurisdiction === next.jurisdiction && next.writ_on <= lastDayOf(before)) {
      return `${daysOf(before)} and ${daysOf(next)} of ${next.jurisdiction} share days, up to ${daysAfterPolling} days after polling. Correct one of them, or take it out.`
    }
  }
  return null
}
