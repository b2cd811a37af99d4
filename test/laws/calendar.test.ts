import { assert, it } from "@effect/vitest"
import { DateTime } from "effect"
import { CalendarDate, dayOf, startOfDay } from "../../src/domain/kernel/CalendarDate.ts"

const dayMillis = 86_400_000

/** The wall clock of a zone by the platform's own formatter, as if it were UTC. */
const wallClock = (timezone: string) => {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: timezone, dateStyle: "short", timeStyle: "medium" })
  return (millis: number): number => Date.parse(`${format.format(millis).replace(" ", "T")}Z`)
}

/** The instants of a year at which a zone's clocks are turned. */
const turnsOf = (wall: (millis: number) => number, year: number): ReadonlyArray<number> => {
  const offset = (millis: number) => wall(millis) - millis
  const turns: Array<number> = []
  for (let month = 0; month < 12; month++) {
    let [before, after] = [Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1)]
    if (offset(before) === offset(after)) continue
    const old = offset(before)
    while (after - before > 1000) {
      const middle = Math.floor((before + after) / 2000) * 1000
      if (offset(middle) === old) before = middle
      else after = middle
    }
    turns.push(after)
  }
  return turns
}

const zones = Intl.supportedValuesOf("timeZone")

it.each([2007, 2018, 2026])(
  "days begin and end where the clocks say, in every zone, when they are turned in %i",
  (year) => {
    let turned = 0
    for (const timezone of zones) {
      const wall = wallClock(timezone)
      for (const turn of turnsOf(wall, year)) {
        turned += 1
        for (const days of [-1, 0, 1]) {
          const day = new Date(wall(turn) + days * dayMillis).toISOString().slice(0, 10)
          const start = startOfDay(CalendarDate.make(day), timezone)
          const label = `${day} in ${timezone}`
          assert.strictEqual(new Date(wall(start.epochMilliseconds)).toISOString().slice(0, 10), day, label)
          assert.strictEqual(dayOf(start, timezone), day, label)
          const last = DateTime.makeUnsafe(start.epochMilliseconds - 1)
          assert.isTrue(dayOf(last, timezone) < day, label)
        }
      }
    }
    assert.isAbove(turned, 200)
  }
)
