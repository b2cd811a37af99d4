import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  mappingOf,
  type NewStatementMapping,
  type StatementMapping
} from "../../../src/domain/access/StatementMapping.ts"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import { faultText } from "../../../src/domain/payments/Statement.ts"
import { csvReader } from "../../../src/domain/payments/StatementCsv.ts"
import { statementOf } from "../../support/StatementFiles.ts"

const account = { currency: "AUD", timezone: "Australia/Sydney", today: CalendarDate.make("2026-01-20") }

const read = (content: string, given: NewStatementMapping = {}) => statementOf(content, mappingOf(given, null), account)
const refusalOf = (...args: Parameters<typeof read>) => {
  const found = read(...args)
  return Result.isFailure(found) ? faultText(found.failure) : ""
}

describe("a file of values", () => {
  it("names the columns that cannot stand beside each other, by the field that is wrong", () => {
    const paramOf = (given: StatementMapping) => {
      const found = statementOf("Date,Amount,In,Out,Way,Description\n2026-01-16,1.00,1.00,,CR,x", given, account)
      return Result.isFailure(found)
        ? [found.failure.param, ...found.failure.faults.map(({ says }) => says.split(" ")[0])]
        : []
    }
    const split = { credit_column: "In", debit_column: "Out" }
    assert.deepStrictEqual(paramOf(split), [])
    assert.deepStrictEqual(paramOf({ debit_column: "Out" }), ["debit_column", "debit_column"])
    assert.deepStrictEqual(paramOf({ ...split, amount_column: "Amount" }), ["amount_column", "amount_column"])
    assert.deepStrictEqual(paramOf({ ...split, direction_column: "Way" }), ["direction_column", "direction_column"])
    assert.deepStrictEqual(paramOf({ credit_column: "Into" }), ["credit_column", "credit_column"])
  })

  it("leaves out nothing that is said: a column beside one that it cannot stand with is refused", () => {
    const content = "Date,Amount,In,Out,Way,Description\n2026-01-16,1.00,1.00,,DR,x"
    const split = { credit_column: "In", debit_column: "Out" }
    for (const kept of [null, split, { direction_column: "Way", amount_column: "Amount" }]) {
      const paramOf = (given: NewStatementMapping) => {
        const found = statementOf(content, mappingOf(given, kept), account)
        return Result.isFailure(found) ? found.failure.param : ""
      }
      assert.strictEqual(paramOf({ credit_column: "In", direction_column: "Way" }), "direction_column")
      assert.strictEqual(paramOf({ bank: "westpac", direction_column: "Way" }), "direction_column")
      assert.strictEqual(paramOf({ amount_column: "Amount", debit_column: "Out" }), "debit_column")
      // What was kept gives way to what is said.
      assert.strictEqual(paramOf(split), "")
      assert.strictEqual(paramOf({ amount_column: "Amount", direction_column: "Way" }), "")
    }
  })

  it("goes by a column of directions, where an amount may be of a cent or of nothing", () => {
    const rows = ["0.00,CR", "0.01,CR", "0.02,CR", "0.01,DR", "-0.01,DR", "0.00,DR"]
    const content = ["Amount,Way,Date,Description", ...rows.map((row) => `${row},2026-01-16,x`)].join("\n")
    const { debits, lines, skipped } = Result.getOrThrow(read(content, { direction_column: "Way" }))
    assert.deepStrictEqual(
      [lines, debits].map((all) => all.map(({ amount_cents }) => amount_cents)),
      [
        [1, 2],
        [-1, -1]
      ]
    )
    assert.strictEqual(skipped, 4)
    assert.match(refusalOf(`${content}\n-0.01,CR,2026-01-16,x`, { direction_column: "Way" }), /Line 8 has no amount/u)
  })

  it("has no line passed over that may be of money, be it a cent", () => {
    const says = (row: string) => refusalOf(`Date,Amount,Description\n${row}`, { pass_over: true })
    assert.match(says("40/01/2026,0.01,x"), /Line 2 has no day in column 1/u)
    assert.match(says("40/01/2026,-0.01,x"), /Line 2 has no day/u)
    for (const row of ["40/01/2026,0.00,x", "Total,0.01,x", "40/01/2026,,x"]) assert.strictEqual(says(row), "", row)
  })

  it("goes by the bank's status of a line, and never by the words of whoever paid alone", () => {
    const row = (text: string, status: string, balance = "9.00") =>
      `Date,Amount,Description,Status,Balance\n2026-01-16,1.00,${text},${status},${balance}`
    const says = (text: string, status: string) => refusalOf(row(text, status), { status_column: "Status" })
    for (const text of ["Pending: a gift", "Closing balance", "Returned", "Declined", "Brought forward"]) {
      for (const status of ["Posted", ""]) assert.strictEqual(says(text, status), "", text)
      assert.strictEqual(refusalOf(row(text, ""), {}), "", text)
      assert.strictEqual(refusalOf(row(text, ""), { balance_column: "Balance" }), "", text)
    }
    // The bank has left the balance empty, which payments have there.
    for (const text of ["Pending: a gift", "Closing balance"]) {
      assert.match(refusalOf(row(text, "", ""), { balance_column: "Balance" }), /^Line 2 is (?:pending|a balance)/u)
    }
    assert.strictEqual(refusalOf(row("Returned", "", ""), { balance_column: "Balance" }), "")
    assert.match(says("GIFT", "Pending"), /^Line 2 is pending/u)
    assert.match(refusalOf(row("GIFT", "Posted").replace("01-16", "01-21"), { status_column: "Status" }), /future/u)
  })

  it("says in which column an id or an amount is missing", () => {
    const heading = "Date,Description,Amount,In,Out,Id"
    const row = (id: string, amount = "1.00") => `${heading}\n2026-01-16,x,${amount},one,,${id}`
    assert.match(refusalOf(row(""), { id_column: "Id" }), /^Line 2 has no id in column 6\./u)
    assert.match(refusalOf(row("7", "one"), { id_column: "Id" }), /^Line 2 has no amount of AUD in column 3\./u)
    assert.match(refusalOf(row("7"), { credit_column: "In" }), /^Line 2 has no amount of AUD in column 4\./u)
  })

  it("turns amounts round where it says so, and is refused in another currency", () => {
    const content = "Date,Amount,Description,Currency\n2026-01-16,-1.00,x,aud\n2026-01-16,2.00,y,AUD"
    const { debits, lines } = Result.getOrThrow(read(content, { is_negated: true, currency_column: "Currency" }))
    assert.deepStrictEqual(
      [...lines, ...debits].map(({ amount_cents }) => amount_cents),
      [1_00, -2_00]
    )
    assert.match(
      refusalOf(content.replace("y,AUD", "y,NZD"), { currency_column: "Currency" }),
      /^Line 3 is not in AUD/u
    )
  })

  it("may have its heading as far down as the thirtieth line, and no line of money before it", () => {
    const content = (before: number) =>
      `${Array.from({ length: before }, () => "Account,12345678").join("\n")}\nDate,Amount,Description\n2026-01-16,1.00,x`
    assert.lengthOf(Result.getOrThrow(read(content(29), { pass_over: true })).passed, 29)
    assert.match(refusalOf(content(30), { pass_over: true }), /there is no Date/u)
    assert.match(refusalOf("", {}), /at least one line/u)
    assert.match(refusalOf("a\nb", {}), /there is no Date/u)
    assert.match(refusalOf("a\nb", { has_heading: false }), /number of a column.*no heading/u)
  })

  it("is read the same in two pieces, wherever it is cut", () => {
    const content = 'Date,Amount,Description\n2026-01-16,1.00,"x, y"\r\n2026-01-17,-2.00,z\n'
    for (let cut = 0; cut <= content.length; cut++) {
      const reader = csvReader({}, account)
      const items = [reader.write(content.slice(0, cut)), reader.write(content.slice(cut)), reader.end()].flat()
      const lines = items.map((item) => Result.getOrThrow(item))
      const told = lines.map(({ amount_cents, text }) => [amount_cents, text])
      assert.deepStrictEqual(
        told,
        [
          [1_00, "x, y"],
          [-2_00, "z"]
        ],
        `cut at ${cut}`
      )
    }
  })

  it("is read no further than to what is wrong about the whole", () => {
    for (const [first, count] of [
      ['Date,Amount,Description\n2026-01-16,1.00,"x"y\n', 1],
      [`${"a\n".repeat(40)}`, 1]
    ] as const) {
      const reader = csvReader({}, account)
      const items = [reader.write(first), reader.write("\nDate,Amount,Description\n2026-01-16,1.00,x\n"), reader.end()]
      assert.deepStrictEqual(
        items.map((each) => each.length),
        [count, 0, 0]
      )
    }
  })
})
