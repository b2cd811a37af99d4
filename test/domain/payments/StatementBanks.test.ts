import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  Bank,
  type DayFormat,
  mappingOf,
  type NewStatementMapping
} from "../../../src/domain/access/StatementMapping.ts"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import { faultText } from "../../../src/domain/payments/Statement.ts"
import { centsIn, dayIn } from "../../../src/domain/payments/StatementFormats.ts"
import { referencesIn } from "../../../src/domain/payments/TransferReference.ts"
import { statementOf } from "../../support/StatementFiles.ts"

const account = { currency: "AUD", timezone: "Australia/Sydney", today: CalendarDate.make("2026-01-20") }

const read = (content: string, given: NewStatementMapping = {}) => statementOf(content, mappingOf(given, null), account)

describe("the files of banks", () => {
  it.each(Bank.literals)("are read as %s writes them", (bank) => {
    const content = readFileSync(new URL(`statements/${bank}.csv`, import.meta.url), "utf8")
    const { days, lines, passed, skipped } = Result.getOrThrow(read(content, { bank }))
    const [line] = lines
    assert.deepInclude(line, { day: CalendarDate.make("2026-01-16"), amount_cents: 125_000, bank_id: null })
    assert.include(referencesIn(line?.text ?? ""), "NCW3T5D8")
    const hasBalance = !["anz", "bendigo", "up"].includes(bank)
    assert.strictEqual(line?.balance_cents, hasBalance ? 353_308 : null)
    assert.deepStrictEqual([lines.length, skipped, passed.length, days.first], [1, 1, 0, "2026-01-15"])
    const mine = mappingOf({ bank, amount_column: "1", id_column: "2" }, null)
    assert.deepInclude(mine, { amount_column: "1", id_column: "2" })
    assert.notProperty(mine, "credit_column")
  })
})

describe("days", () => {
  it.each([
    ["2026/11/20", "YYYY-MM-DD", "2026-11-20"],
    ["20.11.26", "DD/MM/YYYY", "2026-11-20"],
    ["20-11-2026", "DD/MM/YYYY", "2026-11-20"],
    ["20 11 2026 09:15", "DD/MM/YYYY", "2026-11-20"],
    ["20/11/2026 9:15:33 PM", "DD/MM/YYYY", "2026-11-20"],
    ["11/20/26", "MM/DD/YYYY", "2026-11-20"],
    ["20-Nov-26", "DD-MMM-YYYY", "2026-11-20"],
    ["Fri 20 Nov 2026", "DD-MMM-YYYY", "2026-11-20"],
    ["4 Sept 2026", "DD-MMM-YYYY", "2026-09-04"],
    ["20261120", "YYYYMMDD", "2026-11-20"],
    ["２０２６－１１－２０", "YYYY-MM-DD", "2026-11-20"],
    ["2026-11-20T09:15:00+11:00", "YYYY-MM-DD", "2026-11-20"],
    ["2026-11-19T23:15:00.123Z", "YYYY-MM-DD", "2026-11-20"],
    ["2026-11-19 23:15:00 +0000", "YYYY-MM-DD", "2026-11-20"],
    ["2026-11-19 23:15 UTC", "YYYY-MM-DD", "2026-11-20"],
    ["2026-11-20 noon", "YYYY-MM-DD", null],
    ["31/11/2026", "DD/MM/YYYY", null],
    ["20/11/026", "DD/MM/YYYY", null],
    ["2026-11-20T99:15:00Z", "YYYY-MM-DD", null]
  ] as ReadonlyArray<[string, DayFormat, string | null]>)("of %s, in the order %s", (text, format, day) => {
    assert.strictEqual(dayIn(text, format, "Australia/Sydney"), day)
  })
})

describe("amounts", () => {
  const format = { decimalMark: ".", minorDigits: 2, currency: "AUD" } as const

  it.each([
    ["1 234.50", 123_450],
    ["1\u00a0234.50", 123_450],
    ["1\u202f234\u202f567.50", 123_456_750],
    ["1'234.50", 123_450],
    ["1’234.50", 123_450],
    ["１，２３４．５０", 123_450],
    ["AUD 50.00", 5_000],
    ["50.00 AUD", 5_000],
    ["A$50.00", 5_000],
    ["AU$ 50.00", 5_000],
    ["50.00$", 5_000],
    ["50.00 CR", 5_000],
    ["CR 50.00", 5_000],
    ["50.00-", -5_000],
    ["−50.00", -5_000],
    ["(50.00)", -5_000],
    ["($50.00)", -5_000],
    ["$50.00 DR", -5_000],
    ["-50.00 DR", -5_000],
    ["0.00 DR", 0]
  ])("of %s are read", (text, cents) => {
    assert.strictEqual(centsIn(text, format), cents)
  })

  it.each([
    "-50.00 CR",
    "(50.00) CR",
    "--50.00",
    "€50.00",
    "50.00 NZD",
    "US$50",
    "C$50",
    "1234,567.00",
    "1,234 567.00",
    "1 23.00",
    "CR",
    "5.0.0"
  ])("of %s are none", (text) => {
    assert.isNull(centsIn(text, format))
  })
})

describe("rows that are no payments", () => {
  const content = [
    "Account 062-000 12345678",
    "From 1 January",
    "Date,Way,Sum,Text,Balance",
    "15/01/2026,,100.00,Opening balance,100.00",
    "16/01/2026,CREDIT,50.00,GIFT KIM,150.00",
    "16/01/2026,DEBIT,4.00,FEE,146.00",
    "16/01/2026,CREDIT,20.00,PENDING - GIFT LEE,",
    "25/01/2026,CREDIT,9.00,GIFT AL,",
    "Total,,66.00,,146.00"
  ].join("\n")
  const mapping = {
    day_format: "DD/MM/YYYY",
    amount_column: "Sum",
    direction_column: "Way",
    text_columns: ["Text"],
    balance_column: "Balance"
  } as const

  it("are refused by their numbers, or passed over and listed", () => {
    const refused = read(content, mapping)
    if (!Result.isFailure(refused)) return assert.fail("it went in")
    const odd = [1, 2, 4, 7, 8, 9]
    assert.deepStrictEqual(
      refused.failure.faults.map(({ line }) => line),
      odd
    )
    assert.match(faultText(refused.failure), /Line 1 stands before the heading.*With pass_over/)
    const { lines, passed, skipped } = Result.getOrThrow(read(content, { ...mapping, pass_over: true }))
    assert.deepStrictEqual(
      passed.map(({ line }) => line),
      odd
    )
    assert.deepStrictEqual([lines.map(({ amount_cents }) => amount_cents), skipped], [[5_000], 1])
  })

  it("are told by a column of statuses, where a word that nobody knows is a payment", () => {
    const statuses = ["Posted", "pending", "AUTHORISED", "Declined", "Cancelled", "", "Gebucht"]
    const rows = statuses.map((status, index) => `2026-01-16,${index + 1}.00,GIFT ${index},${status}`)
    const file = ["Date,Amount,Description,Status", ...rows].join("\n")
    const { lines, passed } = Result.getOrThrow(read(file, { status_column: "Status", pass_over: true }))
    assert.deepStrictEqual(
      [lines.map(({ line }) => line), passed.map(({ line }) => line)],
      [
        [2, 7, 8],
        [3, 4, 5, 6]
      ]
    )
    assert.lengthOf(Result.getOrThrow(read(file, {})).lines, statuses.length)
  })

  it("are no excuse for a line that cannot be read", () => {
    for (const bad of ["40/01/2026,CREDIT,9.00,x,", "16/01/2026,CREDIT,nine,x,", "16/01/2026,FEE,9.00,x,"]) {
      const refused = read(`${content}\n${bad}`, { ...mapping, pass_over: true })
      assert.deepStrictEqual(Result.isFailure(refused) && refused.failure.faults.map(({ line }) => line), [10], bad)
    }
    const twice = read("Date,Amount,Description,Id\n2026-01-16,1.00,a,7\n2026-01-16,2.00,b,7", { id_column: "Id" })
    assert.isTrue(Result.isFailure(twice))
  })
})
