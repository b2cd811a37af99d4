import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { type DayFormat, mappingOf } from "../../../src/domain/access/StatementMapping.ts"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import * as Transfer from "../../../src/domain/payments/BankTransfer.ts"
import { CreditImport } from "../../../src/domain/payments/CreditImport.ts"
import { faultText, sortLines } from "../../../src/domain/payments/Statement.ts"
import { centsIn, dayIn } from "../../../src/domain/payments/StatementFormats.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"
import { readCsv, statementOf } from "../../support/StatementFiles.ts"

const day = CalendarDate.make("2026-01-20")
const account = { currency: "AUD", timezone: "Australia/Sydney", today: day }
const bounds = { fields: 5 }
const integration_id = "intg"

const read = (content: string, given: Partial<CreditImport> = {}) =>
  statementOf(content, mappingOf(given, null), account)
const saysOf = (...args: Parameters<typeof read>): string => {
  const result = read(...args)
  return Result.isFailure(result) ? faultText(result.failure) : "nothing"
}

describe("a file without quotes", () => {
  it("is read field by field, whatever ends its lines and its last line, and without its empty lines", () => {
    const field = fc.string({ unit: fc.constantFrom("a", "1", ".", " "), maxLength: 3 })
    const records = fc.array(fc.array(field, { minLength: 1, maxLength: 4 }), { maxLength: 5 })
    const ends = fc.constantFrom("\n", "\r\n", "\r")
    forEvery(records, fc.constantFrom(",", ";", "\t"), ends, fc.boolean(), (given, delimiter, end, isEnded) => {
      const text = given.map((fields) => fields.join(delimiter)).join(end) + (isEnded ? end : "")
      const expected = given
        .map((fields, index) => ({ line: index + 1, fields }))
        .filter(({ fields }) => fields.length > 1 || fields[0] !== "")
      assert.deepStrictEqual(Result.getOrThrow(readCsv(text, delimiter, bounds)), expected)
    })
  })

  it("is refused where a quote is not closed, or stands amid text", () => {
    for (const text of ['"', '"a', '"""', 'a,"', 'a"b', '"a"b', '""a']) {
      assert.isTrue(Result.isFailure(readCsv(text, ",", bounds)), text)
      assert.match(saysOf(`Date,Amount,Description\n${text}`), /^Line 2 has a quote that is not closed.*imported\.$/)
    }
    assert.deepStrictEqual(Result.getOrThrow(readCsv('"",""""', ",", bounds)), [{ line: 1, fields: ["", '"'] }])
  })
})

const hasDay = (text: string, format: DayFormat) => dayIn(text, format, "Australia/Sydney")

describe("a day on a statement", () => {
  const months = Array.from({ length: 12 }, (_, month) =>
    new Intl.DateTimeFormat("en-US", { month: "long", timeZone: "UTC" }).format(new Date(Date.UTC(2026, month, 1)))
  )

  it("has its month as a number or by its English name, whole or shortened", () => {
    const when = fc.record({
      time: fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2090, 0, 1) }),
      isShort: fc.boolean(),
      isLower: fc.boolean(),
      between: fc.constantFrom(" ", "-"),
      slash: fc.constantFrom("/", "."),
      isPadded: fc.boolean()
    })
    forEveryWith({ numRuns: 200 }, when, ({ between, isLower, isPadded, isShort, slash, time }) => {
      const date = new Date(time)
      const iso = date.toISOString().slice(0, 10)
      const [d, m, y] = [date.getUTCDate(), date.getUTCMonth(), date.getUTCFullYear()]
      const pad = (n: number) => String(n).padStart(isPadded ? 2 : 1, "0")
      const full = months[m] ?? ""
      const name = isShort ? full.slice(0, 3) : full
      const named = [pad(d), isLower ? name.toLowerCase() : name, y].join(between)
      assert.strictEqual(hasDay(` ${named} `, "DD-MMM-YYYY"), iso)
      assert.strictEqual(hasDay([pad(d), pad(m + 1), y].join(slash), "DD/MM/YYYY"), iso)
      assert.strictEqual(hasDay([pad(m + 1), pad(d), y].join(slash), "MM/DD/YYYY"), iso)
      assert.strictEqual(hasDay(iso.replaceAll("-", ""), "YYYYMMDD"), iso)
      assert.strictEqual(hasDay(iso, "YYYY-MM-DD"), iso)
      assert.isNull(
        hasDay(named.replace(name.slice(0, 3), "Foo").replace(name.slice(0, 3).toLowerCase(), "foo"), "DD-MMM-YYYY")
      )
    })
  })
})

it("an amount on a statement is the same however it is written, to the cent", () => {
  const written = fc.record({
    cents: fc.oneof(fc.integer({ min: -200, max: 200 }), fc.integer({ min: -10_000_000_000, max: 10_000_000_000 })),
    mark: fc.constantFrom(".", ","),
    isGrouped: fc.boolean(),
    sign: fc.constantFrom("before", "after", "brackets", "letters", "real minus"),
    hasDollar: fc.boolean()
  })
  forEveryWith({ numRuns: 300 }, written, ({ cents, hasDollar, isGrouped, mark, sign }) => {
    const size = Math.abs(cents)
    const whole = String(Math.floor(size / 100))
    const grouped = isGrouped ? whole.replace(/\B(?=(\d{3})+$)/g, mark === "." ? "," : ".") : whole
    const plain = `${hasDollar ? "$" : ""}${grouped}${mark}${String(size % 100).padStart(2, "0")}`
    const signs: Readonly<Record<string, string>> = {
      before: `-${plain}`,
      "real minus": `−${plain}`,
      after: `${plain}-`,
      brackets: `(${plain})`,
      letters: `${plain} DR`
    }
    const text = cents < 0 ? (signs[sign] ?? "") : sign === "letters" ? `${plain} CR` : plain
    const format = { decimalMark: mark as "." | ",", minorDigits: 2, currency: "AUD" }
    assert.strictEqual(centsIn(text, format), cents)
    assert.strictEqual(centsIn(String(cents), { ...format, minorDigits: 0 }), cents)
  })
})

describe("a statement", () => {
  const cents = fc.oneof(fc.constantFrom(-1, 0, 1), fc.integer({ min: -99_999, max: 99_999 }))
  const written = (all: number) =>
    `${all < 0 ? "-" : ""}${Math.floor(Math.abs(all) / 100)}.${String(Math.abs(all) % 100).padStart(2, "0")}`
  const split = { credit_column: "In", debit_column: "Out" }

  it("has every line by which money came, a cent as well as more, in one column or in two", () =>
    forEvery(fc.array(cents, { maxLength: 8 }), fc.boolean(), fc.boolean(), (all, isSigned, isFilled) => {
      const came = all.flatMap((each, index) => (each > 0 ? [{ line: index + 2, amount_cents: each }] : []))
      const told = (content: string, given: Partial<CreditImport> = {}) => {
        const { lines, skipped } = Result.getOrThrow(read(content, given))
        assert.strictEqual(skipped, all.length - came.length)
        return lines.map(({ amount_cents, line }) => ({ line, amount_cents }))
      }
      const one = ["Date,Amount,Description", ...all.map((each) => `2026-01-16,${written(each)},x`)].join("\n")
      assert.deepStrictEqual(told(one), came)
      assert.deepStrictEqual(told(one, { has_heading: true }), came)
      const empty = isFilled ? "0.00" : ""
      const two = all.map((each) =>
        each > 0
          ? `2026-01-16,${written(each)},${empty},x`
          : `2026-01-16,${empty},${written(isSigned ? each : -each)},x`
      )
      assert.deepStrictEqual(told(["Date,In,Out,Description", ...two].join("\n"), split), came)
    }))

  it("has no line with money in both columns, or with a word in either", () => {
    for (const [came, went] of [
      ["1.00", "0.01"],
      ["0.01", "1.00"],
      ["one", ""],
      ["", "one"],
      ["0.00", "one"],
      ["one", "0.00"]
    ]) {
      const says = saysOf(`Date,In,Out,Description\n2026-01-16,${came},${went},x`, split)
      assert.strictEqual(says, "Line 2 has no amount of AUD in column 2. Nothing was imported.", `${came} ${went}`)
    }
  })

  it("begins with its first line where it has no heading", () => {
    const plain = { has_heading: false, day_column: "1", amount_column: "2", text_columns: ["3"] }
    assert.lengthOf(Result.getOrThrow(read("2026-01-16,1.00,x", plain)).lines, 1)
    assert.strictEqual(Result.getOrThrow(read("2026-01-16,1.00,x", { ...plain, has_heading: true })).lines.length, 0)
    const numbered =
      "day_column must be the number of a column, from 1, because the file has no heading. Nothing was imported."
    assert.strictEqual(saysOf("2026-01-16,1.00,x", { ...plain, day_column: "Date" }), numbered)
    const named =
      "day_column must be the number of a column, from 1, or the heading of one: there is no Day. Nothing was imported."
    assert.strictEqual(saysOf("Date,Amount,Description", { day_column: "Day" }), named)
  })

  it("says in which column what is missing", () => {
    const content = "Description,Amount,Date\nx,1.00,today\nx,one,2026-01-16"
    const says = "Line 2 has no day in column 3 that is written YYYY-MM-DD. Line 3 has no amount of AUD in column 2."
    const hint = "With pass_over, lines that are no payments are passed over and listed."
    assert.strictEqual(saysOf(content), `${says} Nothing was imported. ${hint}`)
    assert.notInclude(saysOf(content, { pass_over: true }), "Line 2")
  })

  it("has texts as long as they may be, counted in characters", () => {
    const line = (length: number) => `Date,Amount,Description\n2026-01-16,1.00,${"é😀".repeat(length / 2)}`
    assert.lengthOf(Result.getOrThrow(read(line(Limits.creditTextCharacters))).lines, 1)
    assert.match(saysOf(line(Limits.creditTextCharacters + 2)), /500 characters/)
  })

  it("names as many bad lines as there may be, and counts the others", () => {
    const faults = (length: number) =>
      faultText({
        param: "content",
        faults: Array.from({ length }, (_, index) => ({ line: index + 1, says: "is bad" }))
      })
    assert.notInclude(faults(Limits.creditFaults), "more lines")
    assert.include(faults(Limits.creditFaults + 1), "So are 1 more lines bad.")
    assert.notInclude(faults(Limits.creditFaults + 1), `Line ${Limits.creditFaults + 1} `)
  })
})

describe("the lines of a statement", () => {
  const lineOf = (line: number, amount_cents: number, bank_id: string | null = null) => {
    return { line, day, amount_cents, text: "x", bank_id, balance_cents: null }
  }

  it("are those by which money came, those by which it went, and those that moved nothing", () =>
    forEvery(fc.array(fc.integer({ min: -2, max: 2 }), { maxLength: 8 }), (all) => {
      const sorted = Result.getOrThrow(sortLines(all.map((cents, index) => lineOf(index + 1, cents))))
      const placesOf = (is: (cents: number) => boolean) => all.flatMap((cents, index) => (is(cents) ? [index + 1] : []))
      assert.deepStrictEqual(
        [sorted.lines, sorted.debits].map((lines) => lines.map(({ line }) => line)),
        [placesOf((cents) => cents >= 1), placesOf((cents) => cents <= -1)]
      )
      assert.strictEqual(sorted.skipped, placesOf((cents) => cents < 1).length)
    }))

  it("have an id each, or none, and those that have one again are told with the first that had it", () => {
    const refusal = sortLines([lineOf(2, 1, "a"), lineOf(3, 1), lineOf(4, 1, "a"), lineOf(5, 1), lineOf(6, 1, "a")])
    const says = Result.isFailure(refusal) ? faultText(refusal.failure) : ""
    assert.strictEqual(says, "Line 4 has the id of line 2. Line 6 has the id of line 2. Nothing was imported.")
  })

  it("have ids as long as they may be", () => {
    const line = (length: number) => `Date,Amount,Description,Id\n2026-01-16,1.00,x,${"1".repeat(length)}`
    assert.strictEqual(saysOf(line(Limits.creditIdCharacters), { id_column: "Id" }), "nothing")
    assert.match(saysOf(line(Limits.creditIdCharacters + 1), { id_column: "Id" }), /an id of more than/u)
  })
})

it("what is said of a file is one of the words that there are", () => {
  const words = {
    day_format: ["YYYY-MM-DD", "DD/MM/YYYY", "MM/DD/YYYY", "DD-MMM-YYYY", "YYYYMMDD"],
    amounts: ["decimal", "cents"],
    decimal_mark: [".", ","],
    delimiter: [",", ";", "\t", "|"]
  }
  const isTaken = (field: string, word: string) =>
    Schema.is(CreditImport)({ integration_id, content: "", [field]: word })
  for (const [field, all] of Object.entries(words)) {
    for (const word of all) assert.isTrue(isTaken(field, word), `${field} ${word}`)
    for (const word of ["", " ", "other"]) assert.isFalse(isTaken(field, word), `${field} ${word}`)
  }
})

describe("credits that add up", () => {
  it("are full on the day of the one that makes it, to the cent, whatever order they come in", () => {
    const credits = fc.array(
      fc.record({ amount_cents: fc.integer({ min: 1, max: 5 }), n: fc.integer({ min: 1, max: 28 }) }),
      { minLength: 1, maxLength: 6 }
    )
    forEvery(credits, fc.integer({ min: 1, max: 20 }), (given, due) => {
      const all = given.map(({ amount_cents, n }) => ({
        amount_cents,
        day: CalendarDate.make(`2026-01-${String(n).padStart(2, "0")}`)
      }))
      const upTo = (n: number) => given.filter((each) => each.n <= n).reduce((sum, each) => sum + each.amount_cents, 0)
      const last = Math.max(...given.map(({ n }) => n))
      const full = Math.min(...given.map(({ n }) => n).filter((n) => upTo(n) >= due), last)
      assert.strictEqual(Transfer.arrivalOf(due, all, "UTC")?.on, `2026-01-${String(full).padStart(2, "0")}`)
    })
  })

  it("go to an account of digits that no bank has, in a sandbox", () => {
    const { account_number, bsb } = Transfer.accountOf({ processor: "test", bank_account: null }) ?? assert.fail("none")
    assert.match(`${bsb} ${account_number}`, /^000-000 0{6,9}$/)
  })
})
