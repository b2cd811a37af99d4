import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import type { Disclosure } from "../../../src/domain/compliance/Disclosure.ts"
import { headLine, linesOf } from "../../../src/domain/compliance/DisclosureExport.ts"
import { type Duty, returnDueAt } from "../../../src/domain/compliance/Duty.ts"
import {
  type DutyReminder,
  dutyReminderMail,
  remindedUntil,
  remindersOf
} from "../../../src/domain/compliance/DutyReminder.ts"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { disclosures } from "../../../src/testing/subjects/Disclosures.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const dayMillis = 86_400_000
const firstMillis = Date.parse("2026-01-01T00:00:00Z")

/** A day of the years about 2026, by its number. */
const dayOf = (number: number): CalendarDate =>
  CalendarDate.make(new Date(firstMillis + number * dayMillis).toISOString().slice(0, 10))

describe("duties", () => {
  it("are reminded of 7, 2 and 0 days before they are due, and daily when late, while they are open", () =>
    forEvery(
      disclosures.states,
      fc.integer({ min: -12, max: 12 }),
      fc.boolean(),
      fc.constantFrom(null, 1, dayMillis),
      (state, days, isOpen, time) => {
        const hasTerm = time !== null
        const due_at = hasTerm ? DateTime.makeUnsafe(firstMillis + time) : null
        const closed_at = isOpen ? null : DateTime.makeUnsafe(firstMillis)
        const duties = state.duties.map((duty): Duty => ({ ...duty, due_at, closed_at }))
        const found = remindersOf({ ...state, duties }, dayOf(-days), "UTC")
        const isDue = isOpen && hasTerm && (days < 0 || days === 0 || days === 2 || days === 7)
        assert.deepStrictEqual(
          found.map(({ due_on, kind }) => `${due_on} ${kind}`),
          isDue ? duties.map(({ kind }) => `2026-01-01 ${kind}`) : []
        )
      }
    ))

  it("that are due at midnight are due on the day that ends then", () =>
    forEvery(disclosures.states, (state) => {
      const due_at = DateTime.makeUnsafe(firstMillis)
      const duties = state.duties.map((duty): Duty => ({ ...duty, due_at, closed_at: null }))
      for (const [days, isAsked] of [
        [-9, false],
        [-8, true],
        [-3, true],
        [-1, true],
        [0, true],
        [-7, false]
      ] as const) {
        const found = remindersOf({ ...state, duties }, dayOf(days), "UTC")
        assert.deepStrictEqual(
          found.map(({ due_on }) => due_on),
          isAsked ? duties.map(() => "2025-12-31") : []
        )
        assert.strictEqual(DateTime.isLessThanOrEqualTo(due_at, remindedUntil(dayOf(days), "UTC")), days > -9)
      }
    }))

  it("are told with their donors, days and number, and how many more there are", () => {
    const reminder = { donor_id: "dnr_1", jurisdiction: "AU", period: "2025-26" } as const
    const listed = [
      { ...reminder, kind: "NOTICE", due_on: dayOf(0), donor_name: "Ada\nLovelace" },
      { ...reminder, kind: "RETURN", due_on: dayOf(1), donor_name: "Kim" }
    ] as unknown as ReadonlyArray<DutyReminder & { readonly donor_name: string }>
    const mailOf = (count: number) =>
      dutyReminderMail({ organisation_name: "Sea\nRescue", today: dayOf(1), listed, count })
    const lines = [
      "Ada Lovelace, AU 2025-26: give notice of a gift; it was due on 2026-01-01.",
      "Kim, AU 2025-26: lodge a return; it is due on 2026-01-02."
    ]
    const last =
      "Lodge them with the authority, and say so: almoner disclosure lodge. This is a tool, not legal advice."
    const first = (duties: string) => `By its records, Sea Rescue has ${duties} that are late, or due soon:`
    assert.deepStrictEqual(mailOf(2), {
      language: "en-AU",
      subject: "2 duties to disclose gifts to Sea Rescue",
      parts: [first("2 duties"), ...lines, last]
    })
    assert.deepStrictEqual(mailOf(5).parts, [first("5 duties"), ...lines, "There are 3 more.", last])
    assert.include(mailOf(1).subject, "1 duty to disclose")
    assert.include(mailOf(1).parts, "By its records, Sea Rescue has 1 duty that is late, or due soon:")
  })

  it("of a return are due on the first of the named days that comes after the period", () =>
    forEveryWith(
      { numRuns: 300 },
      fc.integer({ min: -400, max: 400 }),
      fc.array(fc.record({ month: fc.integer({ min: 1, max: 12 }), day: fc.integer({ min: 1, max: 28 }) }), {
        maxLength: 3
      }),
      // Sydney's days end first.
      fc.constantFrom("Australia/Sydney", "Australia/Perth", "UTC"),
      (ended, returns, timezone) => {
        const named = returns.map((each) => ({ ...each, who: "Donors" }))
        const due = returnDueAt({ returns: named }, dayOf(ended), timezone)
        let next = ended + 1
        const isNamed = (date: string) =>
          returns.some(
            ({ day, month }) => date.slice(5) === `${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`
          )
        while (returns.length > 0 && !isNamed(dayOf(next))) next += 1
        const text = due === null ? null : DateTime.formatIsoDate(DateTime.setZoneNamedUnsafe(due, "Australia/Sydney"))
        assert.strictEqual(text, returns.length === 0 ? null : dayOf(next))
      }
    ))
})

describe("an export of disclosures", () => {
  const cellsOf = (line: string) => line.trim().split(",")
  const names = cellsOf(headLine)
  const amount = fc.integer({ min: 0, max: 10_000_000 })

  it("has a line of each duty in the order of their numbers, with exact amounts, and no words where something is not known", () =>
    forEvery(
      disclosures.states,
      amount,
      fc.constantFrom("AUD", "JPY"),
      arbitraryOf(CalendarDate),
      (state, cents, currency, donation_day) => {
        const duties = state.duties.map((duty, index) => ({ ...duty, number: state.duties.length - index }))
        const plain = { ...state, jurisdiction: "AU", period: "2025-26" }
        const disclosure: Disclosure = { ...plain, duties, regime: { ...state.regime, currency }, total_cents: cents }
        const named = disclosure.duties.flatMap(({ donation_id }) => donation_id ?? [])
        const gift = { id: "don_1", donation_day, amount_cents: cents, refunded_amount_cents: 0, currency }
        const lines = linesOf(
          [{ disclosure, donor: undefined, gifts: new Map(named.map((id) => [id, gift as never])) }],
          "UTC"
        )
        const rows = lines.split("\r\n").length > 1 ? lines.split("\r\n") : lines.split("\n")
        const cells = rows.filter((row) => row !== "").map(cellsOf)
        const column = (name: string) => cells.map((row) => row[names.indexOf(name)])
        const digits = currency === "JPY" ? 0 : 2
        const exact = (cents / 10 ** digits).toFixed(digits)
        const ordered = disclosure.duties.toSorted((a, b) => a.number - b.number)
        assert.deepStrictEqual(
          column("duty"),
          ordered.map(({ number }) => String(number))
        )
        assert.deepStrictEqual(
          column("total"),
          ordered.map(() => exact)
        )
        assert.deepStrictEqual(
          column("donor_name"),
          ordered.map(() => "")
        )
        assert.deepStrictEqual(
          column("gift_amount"),
          ordered.map(({ donation_id }) => (donation_id === null ? "" : exact))
        )
        assert.deepStrictEqual(
          column("due_at").map((text) => text === ""),
          ordered.map(({ due_at }) => due_at === null)
        )
      }
    ))
})
